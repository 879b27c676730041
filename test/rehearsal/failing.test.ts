/**
 * Plans that would fail are stopped before their first signature, valid ones never: the chain changes between build and
 * submission, and a signed run on another copy of the chain determines whether the plan fails. `npm run exhaustive`
 * plays every change for every kind of plan.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Plan } from '../../src/plan/types.ts';
import type { PolicyFile } from '../../src/policy/file/schema.ts';
import { Home } from '../execution/home.ts';
import { ended } from '../execution/real.ts';
import { EXHAUSTIVE } from '../exhaustive.ts';
import { CAUSES, type Change, played, whileChanged } from './failures.ts';
import { KINDS } from './kinds.ts';
import { built, rehearsalOf, rehearsed } from './scene.ts';

let home: Home;
let rehearsing: Home;
beforeAll(async () => {
  // Tampered tables are security denials, which would freeze the home in these numbers.
  const freeze = { afterDenials: { count: 1000, windowSeconds: 1 } };
  const policy = (file: PolicyFile): PolicyFile => ({ ...file, freeze });
  home = await Home.start({ policy });
  rehearsing = home.again({ policy, deps: { rehearse: rehearsalOf(home) } });
});
afterAll(async () => {
  await rehearsing.close();
  await ended(home);
});

const planOf = async (kind: string): Promise<Plan> => {
  const request = KINDS[kind];
  if (request === undefined) throw new Error(`no kind ${kind}`);
  return built(home, ...(await request(home)));
};

type Cause = keyof typeof CAUSES;

/** Suite sample: one kind of plan for each cause, and some of its changes. */
const SAMPLE: Readonly<Record<Cause, string>> = {
  'funds run out': 'launch into a direct pool',
  'lookup table not warm': 'launch into a direct pool',
  'program upgraded': 'launch in custody',
  'price moved': 'swap into a token of a pool',
  'account already there': 'launch in custody',
  'account closed': 'change of who earns',
};
const SAMPLED = 3;
/** Slots after which a plan is rebuilt; its blockhash is valid for 150. */
const MAX_AGE_SLOTS = 100;

/** Yields the changes of a cause for a kind of plan, each with a plan that is recent enough. */
async function* changed(cause: Cause, kind: string): AsyncGenerator<{ plan: Plan; change: Change }> {
  let [plan, changes, from] = [await planOf(kind), [] as Change[], Number.NEGATIVE_INFINITY];
  for (let i = 0; ; i += EXHAUSTIVE ? 1 : Math.max(1, Math.floor(changes.length / SAMPLED))) {
    if (home.sandbox.chain.slot - from > MAX_AGE_SLOTS) {
      plan = await planOf(kind);
      from = home.sandbox.chain.slot;
      changes = await CAUSES[cause](home, plan);
    }
    const change = changes[i];
    if (change === undefined) return;
    yield { plan, change };
  }
}

describe.each(Object.keys(CAUSES) as Cause[])('%s', (cause) => {
  test('a plan that fails for it is detected, and others are not held back', async () => {
    const found = { failing: 0, missed: [] as string[], honest: 0, heldBack: [] as string[] };
    for (const kind of EXHAUSTIVE ? Object.keys(KINDS) : [SAMPLE[cause]]) {
      let isSubmitted = false;
      for await (const { plan, change } of changed(cause, kind)) {
        const named = `${kind}: ${change.name}`;
        await whileChanged(home, change, async () => {
          const { isDone } = played(home, plan, change.accounts);
          const fact = await rehearsed(home, plan);
          found[isDone ? 'honest' : 'failing'] += 1;
          if (isDone && fact.status === 'failed') found.heldBack.push(named);
          if (!isDone && fact.status !== 'failed') found.missed.push(named);
          if (isDone || isSubmitted) return;
          // The first failing plan of each kind and cause is also submitted.
          isSubmitted = true;
          const before = rehearsing.signatures;
          const { status } = await rehearsing.submit(plan.planId);
          expect({ named, status, signed: rehearsing.signatures - before }).toEqual({
            ...{ named, status: expect.not.stringMatching('running|complete'), signed: 0 },
          });
        });
      }
    }
    if (EXHAUSTIVE) process.stdout.write(`${cause}: ${JSON.stringify(found)}\n`);
    expect(found.failing).toBeGreaterThan(0);
    expect(found.missed.length / found.failing).toBeLessThanOrEqual(0.05);
    expect(found.heldBack).toEqual([]);
  });
});

test('honest plans are never held back, whatever the wallet holds beyond their cost', async () => {
  const rounds = EXHAUSTIVE ? 45 : 2;
  let all = 0;
  for (const kind of Object.keys(KINDS)) {
    const plan = await planOf(kind);
    const wallet = home.sandbox.chain.getAccount(home.wallet);
    if (wallet === null) throw new Error('no wallet');
    for (let round = 0; round < rounds; round++) {
      const lamports = 2_000_000_000n + 137_000_011n * BigInt(round);
      const change = {
        name: `${lamports} lamports`,
        accounts: [[home.wallet, { ...wallet, lamports }]] as const,
      };
      const fact = await whileChanged(home, change, () => rehearsed(home, plan));
      expect(fact, `${kind} with ${lamports}`).toMatchObject({ status: 'done' });
      all += 1;
    }
  }
  expect(all).toBe(rounds * Object.keys(KINDS).length);
  if (EXHAUSTIVE) process.stdout.write(`honest plans: ${all}, held back: 0\n`);
});
