/**
 * Instructions of unsupported programs that the service calls, named by their published interfaces: `policy init`
 * writes them for programs of the service's deployment that exist on chain. This does not verify their effects; on a
 * public network each call requires approval.
 */
import type { Operation } from '../../plan/types.ts';
import type { UnsupportedProgram } from '../../policy/file/schema.ts';
import { instructionDiscriminator } from '../../programs/anchor.ts';
import type { Address } from '../../transaction/types.ts';

interface Calls {
  readonly operations: UnsupportedProgram['operations'];
  /** Names in the program's published interface. */
  readonly instructions: readonly string[];
  readonly atMost: number;
}

const CLAIMS = ['holding_claim', 'position_claim', 'vault_claim', 'deployer_claim'] satisfies Operation[];
const swaps: Calls = { operations: ['swap'], instructions: ['swap', 'swap2'], atMost: 1 };

const CALLS: Readonly<Record<Address, readonly Calls[]>> = {
  // Fee shares.
  FEE2tBhCKAt7shrod19QttSVREUYPiyMzoku1mL1gqVK: [
    {
      operations: ['config'],
      instructions: ['create_fee_config', 'extend_created_fee_config', 'update_fee_config_manager'],
      atMost: 4,
    },
    { operations: ['manager_update'], instructions: ['manager_update_fee_config'], atMost: 4 },
    {
      operations: CLAIMS,
      instructions: ['claim_dbc', 'claim_damm_v2', 'claim_user', 'claim_user_vault', 'claim_partner'],
      atMost: 4,
    },
  ],
  // The bonding curve.
  dbcij3LWUppWqq96dh6gJWwBifmcGfLSB5D4DuSMaqN: [
    { operations: ['config'], instructions: ['create_config'], atMost: 1 },
    {
      operations: ['launch'],
      instructions: [
        'initialize_virtual_pool_with_spl_token',
        'initialize_virtual_pool_with_token2022',
        'swap',
        'swap2',
      ],
      atMost: 2,
    },
    swaps,
    { operations: CLAIMS, instructions: ['claim_trading_fee', 'claim_creator_trading_fee'], atMost: 2 },
  ],
  // The pools.
  cpamdpZCGKUy5JxQXB4dcpGPiikHawvSWAd6mEn1sGG: [
    {
      operations: ['launch'],
      instructions: [
        'initialize_customizable_pool',
        'initialize_pool_with_dynamic_config',
        'create_position',
        'add_liquidity',
        'permanent_lock_position',
        'swap',
        'swap2',
      ],
      atMost: 8,
    },
    swaps,
    { operations: CLAIMS, instructions: ['claim_position_fee'], atMost: 2 },
  ],
};

/** Returns the entries of a service program. An unknown program gets an entry that permits no instruction. */
export function serviceProgram(
  label: string,
  address: Address,
  deployedSlot: number | undefined,
): Omit<UnsupportedProgram, 'binding'>[] {
  const calls = CALLS[address] ?? [{ operations: [], instructions: [], atMost: 1 }];
  return calls.map(({ operations, instructions, atMost }) => ({
    address,
    label,
    operations: [...operations],
    instructions: instructions.map((name) => Buffer.from(instructionDiscriminator(name)).toString('hex')),
    atMost,
    ...(deployedSlot === undefined ? {} : { deployedSlot }),
  }));
}
