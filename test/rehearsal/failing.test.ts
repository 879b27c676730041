/**
 * Plans that must fail are held back before their first signature, honest ones never: changes of the chain between the
 * build of a plan and its submission, each in many amounts. `npm run exhaustive` plays several hundred.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Plan } from '../../src/plan/types.ts';
import type { RehearsalFact } from '../../src/rpc/types.ts';
import type { ChainAccount } from '../../src/sandbox/chain/types.ts';
import { EXHAUSTIVE } from '../exhaustive.ts';
import { Home } from '../landing/home.ts';
import { ended } from '../landing/real.ts';
import { KINDS } from './kinds.ts';
import { built, rehearsed } from './scene.ts';

let home: Home;
const plans = new Map<string, Plan>();
beforeAll(async () => {
  home = await Home.start();
  for (const [kind, request] of Object.entries(KINDS))
    plans.set(kind, await built(home, ...(await request(home))));
});
afterAll(() => ended(home));

const planOf = (kind: string): Plan => {
  const plan = plans.get(kind);
  if (plan === undefined) throw new Error(`no plan of ${kind}`);
  return plan;
};
const account = (address: string): ChainAccount => {
  const found = home.sandbox.chain.getAccount(address);
  if (found === null) throw new Error(`no account ${address}`);
  return found;
};

/** Rehearses a plan while an account is another one, and puts it back. */
async function changed(plan: Plan, address: string, to: ChainAccount | null): Promise<RehearsalFact> {
  const { chain } = home.sandbox;
  const before = chain.getAccount(address);
  chain.setAccount(address, to);
  home.sandbox.advanceSlots(2);
  try {
    return await rehearsed(home, plan);
  } finally {
    chain.setAccount(address, before);
    home.sandbox.advanceSlots(2);
  }
}

/** What a rehearsed plan takes from the wallet at most, in lamports, in its course. */
async function costOf(plan: Plan): Promise<bigint> {
  const fact = await rehearsed(home, plan);
  if (fact.status !== 'done') throw new Error(JSON.stringify(fact));
  let [most, sum] = [0n, 0n];
  for (const { changes } of fact.stages) {
    sum -= BigInt(changes.find(({ asset }) => asset === 'SOL')?.by ?? '0');
    if (sum > most) most = sum;
  }
  return most;
}

/** Every account that a plan writes, that is there, and that belongs to a program. */
function accountsOf(plan: Plan): string[] {
  const named = plan.stages.flatMap(({ transaction }) => transaction.read().staticAccounts);
  return [...new Set(named)].filter((address) => {
    const found = home.sandbox.chain.getAccount(address);
    return found !== null && !found.executable && found.data.length > 0 && !address.startsWith('Sysvar');
  });
}

const SHARES = EXHAUSTIVE ? [1, 5, 10, 20, 30, 40, 50, 60, 70, 80, 90, 95, 99] : [40, 95];

test('funds that run out in the course of a plan', async () => {
  for (const [kind, plan] of plans) {
    const cost = await costOf(plan);
    if (cost < 1_000_000n) continue;
    for (const share of SHARES) {
      const lamports = (cost * BigInt(share)) / 100n;
      const fact = await changed(plan, plan.wallet, { ...account(plan.wallet), lamports });
      expect(fact, `${kind} with ${share} % of its cost`).toMatchObject({ status: 'failed' });
    }
    // What it costs and what an account has to keep is enough.
    const enough = { ...account(plan.wallet), lamports: cost + 20_000_000n };
    expect(await changed(plan, plan.wallet, enough), kind).toMatchObject({ status: 'done' });
  }
});

test.each([
  ['is closed', () => null],
  [
    'belongs to another program',
    (of: ChainAccount) => ({ ...of, owner: '11111111111111111111111111111111' }),
  ],
] as const)('an account the plan stands on %s', async (_, change) => {
  const kinds = EXHAUSTIVE ? [...plans.keys()] : ['claim of a position', 'change of who earns'];
  let [failed, all] = [0, 0];
  for (const kind of kinds)
    for (const address of accountsOf(planOf(kind))) {
      const fact = await changed(planOf(kind), address, change(account(address)));
      all += 1;
      if (fact.status === 'failed') failed += 1;
    }
  expect(all).toBeGreaterThan(5);
  // Accounts that a program only makes where they are missing, or does not read, may be closed.
  expect(failed / all).toBeGreaterThan(0.5);
});

test('honest plans are never held back, whatever the wallet holds beyond their cost', async () => {
  const rounds = EXHAUSTIVE ? 60 : 2;
  let all = 0;
  // Their lookup tables name a recent slot: they are built now, and the chain moves one slot a round.
  for (const [kind, request] of Object.entries(KINDS))
    plans.set(kind, await built(home, ...(await request(home))));
  for (let round = 0; round < rounds; round++) {
    const lamports = 2_000_000_000n + 137_000_011n * BigInt(round);
    home.sandbox.chain.setAccount(home.wallet, { ...account(home.wallet), lamports });
    home.sandbox.advanceSlots(1);
    for (const [kind, plan] of plans) {
      expect(await rehearsed(home, plan), kind).toMatchObject({ status: 'done' });
      all += 1;
    }
  }
  expect(all).toBe(rounds * plans.size);
});

test('with its programs cached, half of the rehearsals take at most two seconds', async () => {
  const times: number[] = [];
  for (let i = 0; i < 7; i++) {
    const began = performance.now();
    await rehearsed(home, planOf('launch in custody'));
    times.push(performance.now() - began);
  }
  expect(times.sort((a, b) => a - b)[3]).toBeLessThan(2_000);
});
