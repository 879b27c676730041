/**
 * The hostile service's attacks on their endpoints: each is refused for the reason in its row, and the same requests
 * answered honestly are allowed. The attack table (test/attacks/table.test.ts) covers bundles, sponsored claims and attacks on requests of their own.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ATTACKS } from '../../sandbox/attacks/service/index.ts';
import type { EndpointName } from '../../src/contract/index.ts';
import { PlanError } from '../../src/plan/readAnswer.ts';
import { keyNamed } from './people.ts';
import { ALLOWED, RealWorld, short } from './realOperations.ts';
import type { Fields } from './world.ts';

const ENDPOINTS = [
  'feeShareConfig',
  'updateFeeShareConfig',
  'curveLaunchV2',
  'dammLaunchV2',
  'tradeSwap',
  'claimTxs',
] as const satisfies readonly EndpointName[];
type Played = (typeof ENDPOINTS)[number];

/** Attacks that apply to these endpoints only; the others have nothing to change, or no space. */
const IN_PART: Readonly<Record<string, readonly Played[]>> = {
  'unwrap-to-attacker': ['tradeSwap'],
  'stake-away': ['feeShareConfig', 'updateFeeShareConfig', 'curveLaunchV2', 'dammLaunchV2', 'tradeSwap'],
  'append-transfer': ['feeShareConfig', 'updateFeeShareConfig', 'curveLaunchV2', 'dammLaunchV2', 'claimTxs'],
  'second-recipient': ['feeShareConfig', 'curveLaunchV2'],
  'priority-fee': ['tradeSwap', 'claimTxs'],
  'priority-fee-v1': ['feeShareConfig', 'updateFeeShareConfig', 'curveLaunchV2', 'dammLaunchV2'],
  'tip-inflated': ['feeShareConfig', 'curveLaunchV2'],
  'tip-redirected': ['feeShareConfig', 'curveLaunchV2'],
  'budget-twice': ['tradeSwap', 'claimTxs'],
  'first-buy-inflated': ['curveLaunchV2'],
  'garbage-cosignature': ['feeShareConfig', 'dammLaunchV2'],
  'cosignature-of-another': ['feeShareConfig', 'dammLaunchV2'],
  'cosignature-withheld': ['feeShareConfig', 'dammLaunchV2'],
  'signer-not-declared': ['feeShareConfig', 'dammLaunchV2'],
  'format-changed': ['tradeSwap'],
  'supply-unsealed': ['dammLaunchV2'],
  'freeze-authority-kept': ['dammLaunchV2'],
  'minted-to-attacker': ['dammLaunchV2'],
  'delivered-elsewhere': ['tradeSwap', 'curveLaunchV2', 'dammLaunchV2'],
  'liquidity-removed': ['tradeSwap'],
};

/** Attacks on requests of their own, on later transactions and on ledger state: covered by the attack table. */
const BY_THE_TABLE: readonly string[] = [
  ...[...ATTACKS].flatMap(([name, { plays }]) => (plays === 'token' ? [name] : [])),
  ...['partner-replaced', 'curve-supply-doubled', 'second-key', 'quote-poisoned', 'claim-elsewhere'],
  ...['other-unsupported-instruction', 'unsupported-nonce', 'unsupported-program-authority'],
  ...['unsupported-fee-manager', 'claim-charges-the-wallet', 'served-again', 'first-buy-overpriced'],
  ...['quote-far-off', 'tip-paid-again'],
];

let real: RealWorld;
const requests = new Map<Played, () => Promise<Fields>>();
beforeAll(async () => {
  real = await RealWorld.start('hostile');
  const { world, wallet } = real;
  const owned = await real.launched();
  await real.play('tradeSwap', (await real.buy(owned.mint, '5000000000')).fields);
  const [fresh, curve, pool] = [await world.token(), await real.onCurve(), await world.landedConfig()];
  const more = { transactionFormat: 'v1', tipWallet: keyNamed('tip').address, tipLamports: 1_000_000 };
  const split = {
    baseMint: owned.mint,
    payer: wallet,
    claimersArray: [wallet, keyNamed('b').address],
    basisPointsArray: [9000, 1000],
    transactionFormat: 'v1',
  };
  requests.set('feeShareConfig', async () =>
    world.configRequest(fresh.mint, [7000, 3000], { flow: 'dbc', ...more }),
  );
  requests.set('updateFeeShareConfig', async () => split);
  requests.set('curveLaunchV2', async () => ({
    ...real.poolRequest(curve, '100000000'),
    configKey: curve.configKey,
    ...more,
  }));
  requests.set('dammLaunchV2', async () => ({ ...real.poolRequest(pool, '100000000'), ...more }));
  requests.set('tradeSwap', async () => (await real.buy(owned.mint)).fields);
  requests.set('claimTxs', async () => real.claim(owned.mint).fields);
});
afterAll(() => real.close());

/** Returns the reasons of the first stage's refusal; none if it is allowed. */
async function reasons(endpoint: Played, attack?: string): Promise<readonly string[]> {
  const { world } = real;
  const { hostile } = world.sandbox.service;
  const request = requests.get(endpoint);
  if (request === undefined) throw new Error(`no request for ${endpoint}`);
  // A service that falsifies prices does so from the quote on.
  if (attack !== undefined && ATTACKS.get(attack)?.endpoints?.includes('tradeQuote')) hostile.use(attack);
  try {
    const fields = await request();
    hostile.use(attack);
    const plan = await world.plan(endpoint, fields);
    const decision = await world.decide(plan, plan.stages[0]?.id ?? '');
    if (decision.effect === 'allow') expect(short(decision)).toBe(ALLOWED);
    return decision.reasonCodes;
  } catch (error) {
    // Undecodable bytes are rejected with the answer, before there is a plan.
    if (error instanceof PlanError) return [error.code];
    throw error;
  } finally {
    hostile.use(undefined);
  }
}

const played = [...ATTACKS].flatMap(([name, { plays, code, endpoints }]) => {
  if (plays === 'chain' || BY_THE_TABLE.includes(name)) return [];
  const all = ENDPOINTS.filter((endpoint) => endpoints?.includes(endpoint) ?? true);
  // Some attacks concern other endpoints.
  return all.length === 0 ? [] : [[name, code, IN_PART[name] ?? all] as const];
});

test('honest answers to the same requests are allowed', async () => {
  for (const endpoint of ENDPOINTS) expect([endpoint, await reasons(endpoint)]).toEqual([endpoint, []]);
});

test('nearly all attacks run on ordinary requests', () => {
  expect(played.length).toBeGreaterThanOrEqual(80);
  const named = [...Object.keys(IN_PART), ...BY_THE_TABLE];
  expect(named.filter((name) => !ATTACKS.has(name))).toEqual([]);
});

test.each(played)('an attack is refused for the reason in its row: %s', async (name, code, endpoints) => {
  expect(endpoints.length).toBeGreaterThan(0);
  for (const endpoint of endpoints) {
    const codes = await reasons(endpoint, name);
    expect([code, 'PLAN_INVALID']).toContainEqual(
      codes.find((each) => each === code) ?? codes[0] ?? 'signed',
    );
  }
});
