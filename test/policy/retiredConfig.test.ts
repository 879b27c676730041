/** The two retired configs (C-LEGACY-01): read to the last field although their answers say next to nothing. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EndpointName } from '../../src/contract/index.ts';
import type { Decision } from '../../src/policy/decide/types.ts';
import { DBC_PROGRAM } from '../../src/programs/dbc/addresses.ts';
import { encodeInstruction } from '../../src/programs/instructions.ts';
import { WSOL_MINT } from '../../src/transaction/programs.ts';
import { type Fields, keyNamed, type Tamper, World } from './world.ts';

let world: World;
const friend = keyNamed('friend').address;
const attacker = keyNamed('attacker').address;
beforeAll(async () => {
  world = await World.start('retired configs');
});
afterAll(() => world.close());

const alone = (): Fields => ({ launchWallet: world.wallet });
const split = async (): Promise<Fields> => ({
  walletA: world.wallet,
  walletB: friend,
  walletABps: 4000,
  walletBBps: 6000,
  payer: world.wallet,
  baseMint: (await world.token()).mint,
  quoteMint: WSOL_MINT,
});

async function decided(endpoint: EndpointName, fields: Fields, tamper?: Tamper): Promise<Decision> {
  return world.decide(await world.plan(endpoint, fields, tamper), 'config', world.listing);
}

describe('C-LEGACY-01 a retired config', () => {
  it('T12 is refused with one instruction too many, and with the terms of a curve twice', async () => {
    const transfer = encodeInstruction('system.transfer', {
      accounts: { from: world.wallet, to: attacker },
      args: { lamports: 1n },
    });
    const more = await decided('legacyFeeShareConfig', await split(), (draft) => ({
      ...draft,
      instructions: [...draft.instructions, transfer],
    }));
    expect(more).toMatchObject({ effect: 'deny' });
    expect(more.reasonCodes).toContain('UNEXPECTED_INSTRUCTION');
    const twice = await decided('createLaunchConfig', alone(), (draft) => ({
      ...draft,
      instructions: [
        ...draft.instructions,
        ...draft.instructions.filter(({ programAddress }) => programAddress === DBC_PROGRAM),
      ],
    }));
    expect(twice).toMatchObject({ effect: 'deny' });
    expect(twice.reasonCodes).toContain('UNEXPECTED_INSTRUCTION');
  });

  it('is allowed, or asked about where two wallets share, when it says what was asked for, and lands', async () => {
    const two = await world.plan('legacyFeeShareConfig', await split());
    const one = await world.plan('createLaunchConfig', alone());
    const [single] = await world.run(one);
    expect(single).toMatchObject({ effect: 'allow', reasonCodes: [] });
    // How two wallets share is written down by a program that is not read.
    const [shared] = await world.run(two, undefined, world.listing);
    expect(shared).toMatchObject({ effect: 'require_approval', reasonCodes: ['APPROVAL_REQUIRED'] });
    expect(shared?.recipients.map(({ address }) => address)).toEqual([world.wallet, friend]);
  });

  it('T63 is refused when another wallet, quote or token stands in its bytes than was asked for', async () => {
    const asked = await split();
    const answer = await world.call('legacyFeeShareConfig', asked);
    const other = (await world.token()).mint;
    for (const changed of [{ walletB: attacker }, { baseMint: other }, { quoteMint: world.quote('USDC') }]) {
      const plan = world.read('legacyFeeShareConfig', { ...asked, ...changed }, answer);
      const decision = await world.decide(plan, 'config', world.listing);
      expect(decision.effect, JSON.stringify(changed)).toBe('deny');
      expect(decision.reasonCodes).toContain('REQUEST_MISMATCH');
    }
  });

  it('T14 is refused when lamports beside the rent go into its account', async () => {
    const decision = await decided('legacyFeeShareConfig', await split(), (draft) => ({
      ...draft,
      instructions: [
        ...draft.instructions,
        encodeInstruction('system.transfer', {
          accounts: { from: world.wallet, to: draft.instructions[0]?.accounts[0]?.address ?? '' },
          args: { lamports: 5_000_000_000n },
        }),
      ],
    }));
    expect(decision).toMatchObject({ effect: 'deny' });
    expect(decision.reasonCodes).toContain('UNEXPECTED_INSTRUCTION');
  });
});
