/** Rent that a service could ask for beside what a request needs: deposits above the rent, entries written twice. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { systemTransfer } from '../../src/sandbox/service/build/tokens.ts';
import { LOOKUP_TABLE_PROGRAM, SYSTEM_PROGRAM, WSOL_MINT } from '../../src/transaction/programs.ts';
import { keyNamed, World } from './world.ts';

let world: World;
beforeAll(async () => {
  world = await World.start('update rent');
});
afterAll(() => world.close());

/** The update with `extra` lamports more in its one transfer. */
async function updated(extra: bigint) {
  const { mint } = await world.landedConfig();
  const claimersArray = [world.wallet, ...['a', 'b', 'c'].map((name) => keyNamed(name).address)];
  const fields = {
    baseMint: mint,
    payer: world.wallet,
    claimersArray,
    basisPointsArray: [2500, 2500, 2500, 2500],
  };
  let rent = 0n;
  const plan = await world.plan('updateFeeShareConfig', fields, (draft) => ({
    ...draft,
    instructions: draft.instructions.map((each) => {
      if (each.programAddress !== SYSTEM_PROGRAM) return each;
      const [from, to] = each.accounts.map(({ address }) => address);
      rent = Buffer.from(each.data).readBigUInt64LE(4);
      return systemTransfer(from ?? '', to ?? '', rent + extra);
    }),
  }));
  return { rent, decision: await world.decide(plan, plan.stages[0]?.id ?? '') };
}

it('a changed split pays what the account lacks of its rent, to the lamport (T14, T23)', async () => {
  const honest = await updated(0n);
  expect(honest.rent).toBeGreaterThan(0n);
  expect(honest.decision.effect).toBe('allow');

  const { rent, decision } = await updated(1n);
  expect(decision).toMatchObject({ effect: 'deny' });
  expect(decision.reasonCodes).toContain('REQUEST_MISMATCH');
  expect(decision.checks.filter(({ ok }) => !ok)[0]).toMatchObject({
    check: 'bytes match the request: rent of the config account',
    observed: `${rent + 1n}`,
    allowed: `${rent}`,
  });
});

it('a lookup table names each address once (T14)', async () => {
  const { mint, uri } = await world.token();
  const request = { tokenMint: mint, wallet: world.wallet, ipfs: uri, quoteMint: WSOL_MINT };
  const honest = await world.plan('dammLaunch', request);
  const setup = honest.stages[0]?.id ?? '';
  expect(honest.stages[0]?.kind).toBe('lookup_table_setup');
  expect((await world.decide(honest, setup)).effect).toBe('allow');

  const doubled = await world.plan('dammLaunch', request, (draft) => {
    const tables = draft.instructions.filter(({ programAddress }) => programAddress === LOOKUP_TABLE_PROGRAM);
    // Made and extended: its entries once more.
    return tables.length < 2
      ? draft
      : { ...draft, instructions: [...draft.instructions, ...tables.slice(1)] };
  });
  const decision = await world.decide(doubled, setup);
  expect(decision.effect).toBe('deny');
  expect(decision.checks.filter(({ ok }) => !ok).map(({ check }) => check)).toContain(
    'table names each address once',
  );
});
