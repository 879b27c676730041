/**
 * Instructions of the sandbox's builders against the interfaces published on npm: exact data, account rights, fixed and
 * derived addresses.
 */

import { describe, expect, test } from 'vitest';
import { eventAuthority } from '../../../sandbox/programs/addresses.ts';
import * as dammV2 from '../../../sandbox/programs/dammV2.ts';
import * as dbc from '../../../sandbox/programs/dbc.ts';
import * as feeShare from '../../../sandbox/programs/feeShare.ts';
import { createKeyring } from '../../../sandbox/service/keys.ts';
import type { EncodedInstruction } from '../../../src/programs/instructions.ts';
import { readInstruction } from '../../../src/programs/read.ts';
import { addressBytes, addressFromBytes } from '../../../src/transaction/base58.ts';
import { programAddress } from '../../../src/transaction/derive.ts';
import { TOKEN_PROGRAM, WSOL_MINT } from '../../../src/transaction/programs.ts';
import type { Address } from '../../../src/transaction/types.ts';
import { encodeInstructionData, IDLS, type IdlName, type IdlSeed, type Values } from '../../oracle/idl.ts';
import { claimCreatorTradingFee, claimTradingFee, curveSwap, poolSwap } from './instructions.ts';
import { CURVE, curveFees, POOL } from './worlds.ts';

const keys = createKeyring('encodings');
const key = (name: string): Address => keys.get(name).address;
const [payer, admin, mint, config, user, other, nft] = [
  'payer',
  'admin',
  'mint',
  'config',
  'user',
  'other',
  'nft',
].map(key) as [Address, Address, Address, Address, Address, Address, Address]; // as many as names
const curve = { config, baseMint: mint, quoteMint: WSOL_MINT, quoteProgram: TOKEN_PROGRAM };
const pool = { mintA: mint, programA: TOKEN_PROGRAM, mintB: WSOL_MINT, programB: TOKEN_PROGRAM };
const pair = feeShare.inSol(mint);
const swap = { input: user, output: other, payer };
const position = { nftMint: nft, owner: user, tokenA: payer, tokenB: other };
const claimers = [
  { address: user, bps: 2_500 },
  { address: other, bps: 7_500 },
];
const U64_MAX = 0xffff_ffff_ffff_ffffn;

const curveValues = {
  pool_fees: {
    base_fee: {
      cliff_fee_numerator: 20_000_000n,
      first_factor: 3,
      second_factor: 60n,
      third_factor: 1_000_000n,
      base_fee_mode: 0,
    },
    dynamic_fee: null,
  },
  collect_fee_mode: 0,
  migration_option: 1,
  activation_type: 1,
  token_type: 0,
  token_decimal: 6,
  partner_liquidity_percentage: 0,
  partner_permanent_locked_liquidity_percentage: 50,
  creator_liquidity_percentage: 0,
  creator_permanent_locked_liquidity_percentage: 50,
  migration_quote_threshold: CURVE.migrationQuoteThreshold,
  sqrt_start_price: CURVE.sqrtStartPrice,
  migration_fee_option: 2,
  token_supply: null,
  creator_trading_fee_percentage: 50,
  token_update_authority: 1,
  pool_creation_fee: 0n,
  enable_first_swap_with_min_fee: true,
  migration_fee: { fee_percentage: 0, creator_fee_percentage: 0 },
  curve: CURVE.curve.map(({ sqrtPrice, liquidity }) => ({ sqrt_price: sqrtPrice, liquidity })),
};
const baseFeeBytes = [...new Uint8Array(new BigUint64Array([20_000_000n]).buffer), ...new Uint8Array(19)];

/** Instruction by program and name, the builder's output, and the values encoded by the interface. */
const CASES: readonly (readonly [IdlName, string, EncodedInstruction, Values, number?])[] = [
  [
    'dbc',
    'create_config',
    dbc.createCurveConfig(
      { config, feeClaimer: user, leftoverReceiver: other, quoteMint: WSOL_MINT, payer },
      {
        ...CURVE,
        ...curveFees({ firstFactor: 3, secondFactor: 60n, thirdFactor: 1_000_000n }),
        enableFirstSwapWithMinFee: true,
      },
    ),
    { config_parameters: curveValues },
  ],
  [
    'dbc',
    'initialize_virtual_pool_with_spl_token',
    dbc.initializeCurvePool(
      { ...curve, creator: user, payer },
      { name: 'Näme', symbol: 'SYM', uri: 'ipfs://x' },
    ),
    { params: { name: 'Näme', symbol: 'SYM', uri: 'ipfs://x' } },
  ],
  ['dbc', 'swap', curveSwap(curve, swap, 5n, 6n), { params: { amount_in: 5n, minimum_amount_out: 6n } }],
  [
    'dbc',
    'swap',
    curveSwap(curve, { ...swap, referral: admin, withLaunch: true }, 5n, 6n),
    { params: { amount_in: 5n, minimum_amount_out: 6n } },
    1,
  ],
  [
    'dbc',
    'swap2',
    dbc.curveSwap2(curve, swap, 5n, 6n, 'partialFill'),
    { params: { amount_0: 5n, amount_1: 6n, swap_mode: 1 } },
  ],
  [
    'dbc',
    'claim_trading_fee',
    claimTradingFee(curve, payer, other, user),
    { max_amount_a: U64_MAX, max_amount_b: U64_MAX },
  ],
  [
    'dbc',
    'claim_creator_trading_fee',
    claimCreatorTradingFee(curve, payer, other, user),
    { max_base_amount: U64_MAX, max_quote_amount: U64_MAX },
  ],
  ['dbc', 'transfer_pool_creator', dbc.transferPoolCreator(payer, config, user, other), {}],
  [
    'dammV2',
    'initialize_customizable_pool',
    dammV2.initializePool(
      pool,
      { creator: user, nftMint: nft, payer, tokenA: other, tokenB: admin },
      { ...POOL, activationPoint: 9n },
    ),
    {
      params: {
        pool_fees: {
          base_fee: { data: baseFeeBytes },
          compounding_fee_bps: 0,
          padding: 0,
          dynamic_fee: null,
        },
        sqrt_min_price: POOL.minPrice,
        sqrt_max_price: POOL.maxPrice,
        has_alpha_vault: false,
        liquidity: POOL.liquidity,
        sqrt_price: POOL.price,
        activation_type: 1,
        collect_fee_mode: 1,
        activation_point: 9n,
      },
    },
  ],
  [
    'dammV2',
    'create_position',
    dammV2.createPosition(dammV2.poolAddress(mint, WSOL_MINT), user, nft, payer),
    {},
  ],
  [
    'dammV2',
    'add_liquidity',
    dammV2.addLiquidity(pool, position, 7n, 8n, 9n),
    { params: { liquidity_delta: 7n, token_a_amount_threshold: 8n, token_b_amount_threshold: 9n } },
  ],
  [
    'dammV2',
    'remove_liquidity',
    dammV2.removeLiquidity(pool, position, 7n, 8n, 9n),
    { params: { liquidity_delta: 7n, token_a_amount_threshold: 8n, token_b_amount_threshold: 9n } },
  ],
  [
    'dammV2',
    'permanent_lock_position',
    dammV2.lockPosition(config, nft, user, 7n),
    { permanent_lock_liquidity: 7n },
  ],
  ['dammV2', 'claim_position_fee', dammV2.claimPositionFee(pool, position), {}],
  ['dammV2', 'swap', poolSwap(pool, swap, 5n, 6n), { _params: { amount_in: 5n, minimum_amount_out: 6n } }],
  [
    'dammV2',
    'swap2',
    dammV2.poolSwap2(pool, swap, 5n, 6n),
    { _params: { amount_0: 5n, amount_1: 6n, swap_mode: 0 } },
  ],
  ['feeShare2', 'init_program_config', feeShare.initProgramConfig(payer, admin, pair), {}],
  [
    'feeShare2',
    'create_partner_config',
    feeShare.createPartnerConfig({ payer, admin }, other, 500, pair),
    { params: { bps: 500 } },
  ],
  [
    'feeShare2',
    'create_fee_config',
    feeShare.createFeeConfig({ payer, admin }, pair, claimers, { last: true }),
    { params: { bps: [2_500, 7_500], finalize_init: true } },
    2,
  ],
  [
    'feeShare2',
    'create_fee_config',
    feeShare.createFeeConfig({ payer, admin }, pair, claimers, { last: false, partner: user }),
    { params: { bps: [2_500, 7_500], finalize_init: false } },
    2,
  ],
  [
    'feeShare2',
    'extend_created_fee_config',
    feeShare.extendFeeConfig({ payer, admin }, pair, claimers, { last: true, partner: user }),
    { params: { bps: [2_500, 7_500], finalize_init: true } },
    2,
  ],
  [
    'feeShare2',
    'update_fee_config_manager',
    feeShare.updateFeeConfigManager({ payer, admin }, pair, user),
    {},
  ],
  [
    'feeShare2',
    'manager_update_fee_config',
    feeShare.managerUpdateFeeConfig({ payer, manager: user }, pair, claimers, { from: 1, to: 3, last: true }),
    { params: { bps: [2_500, 7_500], finalize_update: true, from_idx: 1, to_idx: 3 } },
    2,
  ],
  [
    'feeShare2',
    'manager_transfer_fee_config',
    feeShare.managerTransferFeeConfig(payer, user, other, pair),
    {},
  ],
  ['feeShare2', 'manager_waive_fee_config', feeShare.managerWaiveFeeConfig(payer, user, pair), {}],
  ['feeShare2', 'claim_user', feeShare.claimUser(payer, user, pair, 3), { params: { claimer_index: 3 } }],
  [
    'feeShare2',
    'force_claim_user_to_vault',
    feeShare.claimUserToVault(payer, admin, user, pair, 3),
    { params: { claimer_index: 3 } },
  ],
  ['feeShare2', 'claim_user_vault', feeShare.claimUserVault(user, pair), {}],
  ['feeShare2', 'claim_dbc', feeShare.claimDbc(payer, pair, config), {}],
  ['feeShare2', 'claim_dbc', feeShare.claimDbc(payer, pair, config, user), {}],
  ['feeShare2', 'claim_damm_v2', feeShare.claimDammV2(payer, pair, nft), {}],
  ['feeShare2', 'claim_damm_v2', feeShare.claimDammV2(payer, pair, nft, user), {}],
  ['feeShare2', 'claim_partner', feeShare.claimPartner(payer, user, pair), {}],
];

describe('builders match the published interfaces', () => {
  const cases = CASES.map(([idlName, name, built, values, remaining = 0]) => ({
    idlName,
    name,
    built,
    values,
    remaining,
  }));
  test.each(cases)('$idlName $name', ({ idlName, name, built, values, remaining }) => {
    const idl = IDLS[idlName];
    const places = idl.instructions.find((each) => each.name === name)?.accounts ?? [];
    expect(built.programAddress).toBe(idl.address);
    expect(Buffer.from(built.data).toString('hex')).toBe(
      Buffer.from(encodeInstructionData(idl, name, values)).toString('hex'),
    );
    expect(built.accounts).toHaveLength(places.length + remaining);
    const byName = new Map(places.map((place, i) => [place.name, built.accounts[i]?.address ?? '']));
    const bytesOf = (seed: IdlSeed): Uint8Array =>
      seed.kind === 'const' ? Uint8Array.from(seed.value) : addressBytes(byName.get(seed.path) ?? '');
    for (const [i, place] of places.entries()) {
      const account = built.accounts[i];
      if (place.optional && account?.address === idl.address) continue;
      expect({ ...account, name: place.name }).toEqual({
        name: place.name,
        signer: place.signer ?? false,
        writable: place.writable ?? false,
        address: place.address ?? account?.address,
      });
      if (place.name === 'event_authority') expect(account?.address).toBe(eventAuthority(idl.address));
      if (place.name === 'program') expect(account?.address).toBe(idl.address);
      if (place.pda === undefined) continue;
      const owner = place.pda.program === undefined ? addressBytes(idl.address) : bytesOf(place.pda.program);
      const derived = programAddress(place.pda.seeds.map(bytesOf), addressFromBytes(owner));
      expect({ name: place.name, address: account?.address }).toEqual({
        name: place.name,
        address: derived.address,
      });
    }
  });

  /** Builders of instructions known by name only, which are refused everywhere. */
  const NAMED = [
    'force_claim_user_to_vault',
    'init_program_config',
    'manager_transfer_fee_config',
    'manager_waive_fee_config',
    'remove_liquidity',
    'transfer_pool_creator',
  ];

  test.each(cases)('decodes $idlName $name to what was built', ({ name, built }) => {
    const { programAddress: program, accounts, data } = built;
    const reading = readInstruction({ index: 0, program, accounts, data });
    expect(reading).toMatchObject(
      NAMED.includes(name)
        ? { status: 'named', name }
        : { status: 'read', instruction: { kind: expect.stringMatching(/^(dbc|dammV2|feeShare)\./) } },
    );
  });
});
