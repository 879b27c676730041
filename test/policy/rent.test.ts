/** Rent a service could request beyond a request's needs: deposits above the rent, entries written twice. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { systemTransfer } from '../../sandbox/service/build/tokens.ts';
import { feeShareConfigAddress } from '../../src/programs/feeShare/addresses.ts';
import { type EncodedInstruction, encodeInstruction } from '../../src/programs/instructions.ts';
import { SYSTEM_PROGRAM } from '../../src/transaction/programs.ts';
import { instructionOf, plus } from './recorded/edits.ts';
import { decide, stage, WALLET } from './recorded/stages.ts';
import { keyNamed, World } from './world.ts';

let world: World;
beforeAll(async () => {
  world = await World.start('update rent');
});
afterAll(() => world.close());

it('a changed split pays for the growth of its accounts only (T14, T23)', async () => {
  const { mint } = await world.landedConfig();
  const claimersArray = [world.wallet, ...['a', 'b', 'c'].map((name) => keyNamed(name).address)];
  const basisPointsArray = [2500, 2500, 2500, 2500];
  const fields = { baseMint: mint, payer: world.wallet, claimersArray, basisPointsArray };
  const decided = async (...more: readonly EncodedInstruction[]) => {
    const plan = await world.plan('updateFeeShareConfig', fields, (draft) => ({
      ...draft,
      instructions: [...draft.instructions, ...more],
    }));
    return world.decide(plan, plan.stages[0]?.id ?? '');
  };
  expect((await decided()).effect).toBe('allow');
  const decision = await decided(systemTransfer(world.wallet, feeShareConfigAddress(mint), 1n));
  expect(decision).toMatchObject({ effect: 'deny' });
  expect(decision.reasonCodes).toContain('UNEXPECTED_INSTRUCTION');
});

it('a lookup table names each address once (T14)', () => {
  const setup = stage('custody table');
  expect(decide(setup).effect).toBe('allow');
  const { accounts, args } = instructionOf(setup, 'lookupTable.extend');
  const again = encodeInstruction('lookupTable.extend', {
    accounts: {
      table: accounts.table.address,
      authority: WALLET,
      payer: WALLET,
      systemProgram: SYSTEM_PROGRAM,
    },
    args: { addresses: args.addresses.slice(0, 1) },
  });
  const decision = decide(plus(setup, again));
  expect(decision.effect).toBe('deny');
  expect(decision.checks.filter(({ ok }) => !ok).map(({ id }) => id)).toContain('tableEntriesOnce');
});
