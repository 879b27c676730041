/** `PLACES` is correct: a change of a field changes the lines, only their shared roles, or nothing. */
import { expect, test } from 'vitest';
import type { Act } from '../../src/programs/acts.ts';
import { statementDigest, statementOf } from '../../src/statement/aggregate.ts';
import { linesOf } from '../../src/statement/lines.ts';
import type { StageLines } from '../../src/statement/types.ts';
import { FakeChain, PAYEE, SCOPE, STRANGER, TOKEN, VENUE, WALLET } from './chain.ts';
import { FULL, mine, theirs } from './fullActs.ts';
import { PARTS, PLACES, type Place } from './places.ts';

function stated(act: Act): StageLines {
  const stage = {
    ...{ wallet: WALLET, feePayer: WALLET, fee: 1n, payees: new Map(), fixed: new Set<string>() },
    ...{
      otherwise: 'payment' as const,
      calls: [{ program: 'program' in act ? act.program : VENUE, acts: [act] }],
    },
    arrivals: new Map([...[TOKEN, 'SOL', STRANGER].map((asset) => [asset, 5n] as const)]),
  };
  return linesOf(stage, new FakeChain());
}

function digest(act: Act): string {
  const stages = [{ ...stated(act), state: 'this' as const }];
  return statementDigest(
    statementOf({ scope: SCOPE, time: 0, stages, draws: new Map(), spentPins: [], request: [] }),
  );
}

/** Returns another value of the same type. */
function another(value: unknown): unknown {
  if (typeof value === 'bigint') return value + 1n;
  if (typeof value === 'number') return value + 1;
  if (typeof value === 'boolean') return !value;
  if (value === null) return STRANGER;
  if (Array.isArray(value)) return value.length > 1 ? value.toReversed() : value.map(another);
  if (typeof value !== 'object') return value === 'in' ? 'out' : value === 'token' ? 'multisig' : STRANGER;
  if ('owner' in value) return { ...value, owner: STRANGER };
  const [first = ''] = Object.keys(value);
  return { ...value, [first]: another(Object.entries(value)[0]?.[1]) };
}

const fields = Object.entries(FULL).flatMap(([kind, act]) =>
  Object.keys(act)
    .filter((field) => field !== 'act')
    // Each kind has its own fields; the mapped type enforces this for both tables.
    .map(
      (field) =>
        [kind, field, (PLACES as Record<string, Record<string, Place>>)[kind]?.[field], act] as const,
    ),
);

test.each(fields)('%s.%s has its declared position', (_kind, field, place, act) => {
  const value = (act as unknown as Record<string, unknown>)[field];
  const changed = { ...act, [field]: another(value) } as Act;
  expect(digest(changed) === digest(act)).toBe(place !== 'line');
  if (place === 'role') expect(Object.keys(stated(act).made)).toContain(value);
});

test('fields of parts have their declared positions', () => {
  const differs = (one: Act, other: Act) => digest(one) !== digest(other);
  const { transfer, createConfig, claim, addLiquidity } = FULL;
  const found = {
    holder: {
      account: differs(transfer, { ...transfer, to: { ...theirs, account: STRANGER } }),
      owner: differs(transfer, { ...transfer, to: { ...theirs, owner: STRANGER } }),
    },
    claimer: {
      wallet: differs(createConfig, { ...createConfig, claimers: [{ wallet: STRANGER, bps: 4_000 }] }),
      bps: differs(createConfig, { ...createConfig, claimers: [{ wallet: PAYEE, bps: 1 }] }),
    },
    payout: {
      asset: differs(claim, { ...claim, payouts: [{ asset: STRANGER, to: mine, most: 5n }] }),
      to: differs(claim, { ...claim, payouts: [{ asset: TOKEN, to: theirs, most: 5n }] }),
      most: differs(claim, { ...claim, payouts: [{ asset: TOKEN, to: mine, most: 6n }] }),
    },
    deposit: {
      asset: differs(addLiquidity, {
        ...addLiquidity,
        deposits: [{ asset: STRANGER, from: mine, most: 3n }],
      }),
      from: differs(addLiquidity, { ...addLiquidity, deposits: [{ asset: TOKEN, from: theirs, most: 3n }] }),
      most: differs(addLiquidity, { ...addLiquidity, deposits: [{ asset: TOKEN, from: mine, most: 4n }] }),
    },
  };
  const placed = (part: Readonly<Record<string, Place>>) =>
    Object.fromEntries(Object.entries(part).map(([field, place]) => [field, place === 'line']));
  expect(found).toEqual(
    Object.fromEntries(Object.entries(PARTS).map(([name, part]) => [name, placed(part)])),
  );
});
