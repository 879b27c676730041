/** The two retired configs (C-LEGACY-01): read to the last field although their answers say next to nothing. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EndpointName } from '../../src/contract/index.ts';
import type { Decision } from '../../src/policy/decide/types.ts';
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
  return world.decide(await world.plan(endpoint, fields, tamper), 'config');
}

describe('C-LEGACY-01 a retired config', () => {
  it('is allowed when it says exactly what was asked for, and lands', async () => {
    const two = await world.plan('legacyFeeShareConfig', await split());
    const one = await world.plan('createLaunchConfig', alone());
    for (const plan of [one, two]) {
      const [decision] = await world.run(plan);
      expect(decision).toMatchObject({ effect: 'allow', reasonCodes: [] });
    }
  });

  it('T63 is refused when another wallet, share, admin or token stands in its bytes than was asked for', async () => {
    const asked = await split();
    const answer = await world.call('legacyFeeShareConfig', asked);
    const other = (await world.token()).mint;
    for (const changed of [
      { walletB: attacker },
      { walletABps: 6000, walletBBps: 4000 },
      { baseMint: other },
      { quoteMint: world.quote('USDC') },
    ]) {
      const plan = world.read('legacyFeeShareConfig', { ...asked, ...changed }, answer);
      const decision = await world.decide(plan, 'config');
      expect(decision.effect, JSON.stringify(changed)).toBe('deny');
      expect(decision.reasonCodes).toContain('REQUEST_MISMATCH');
    }
  });

  it('T12 is refused with one instruction too many or too few', async () => {
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
    const less = await decided('legacyFeeShareConfig', await split(), (draft) => ({
      ...draft,
      instructions: draft.instructions.slice(0, -1),
    }));
    expect(less).toMatchObject({ effect: 'deny' });
    expect(less.reasonCodes).toContain('REQUEST_MISMATCH');
  });

  it('T14 is refused when more lamports go into its account than its rent', async () => {
    const decision = await decided('legacyFeeShareConfig', await split(), (draft) => ({
      ...draft,
      instructions: draft.instructions.map((instruction, index) => {
        if (index !== 0) return instruction;
        const data = Uint8Array.from(instruction.data);
        new DataView(data.buffer).setBigUint64(4, 5_000_000_000n, true);
        return { ...instruction, data };
      }),
    }));
    expect(decision).toMatchObject({ effect: 'deny' });
    expect(decision.reasonCodes).toContain('REQUEST_MISMATCH');
  });
});
