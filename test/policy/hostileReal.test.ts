/**
 * The attacks of the hostile service on a sandbox that speaks the encodings of the real programs: those that work on any
 * instructions are played as they are, and refused for the reason their rows name. Those that rewrite instructions of the
 * sandbox's own encoding are listed; what they stand for is played in configsAttacked, splitsAttacked,
 * curveLaunchesAttacked, poolLaunchesAttacked and tradesAttacked.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ATTACKS } from '../../src/attacks/service/index.ts';
import type { EndpointName } from '../../src/contract/index.ts';
import { PlanError } from '../../src/plan/errors.ts';
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

/** Attacks that change something on these endpoints only; on the others there is nothing for them to change, or no room. */
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
};

/** Attacks that need the sandbox's own encoding, or preparations that only it has. */
const OTHER_ENCODING: readonly string[] = [
  'overfund-account',
  'tracking-inflated',
  'fake-token-program',
  'fake-mint',
  'less-arrives',
  'nothing-arrives',
  'delivered-elsewhere',
  'first-buy-overpriced',
  'quote-poisoned',
  'permanent-delegate',
  'transfer-hook',
  'transfer-fee-raised',
  'confidential-transfer',
  'non-transferable',
  'unknown-extension',
  'pausable',
  'frozen-by-default',
  'table-filled-later',
  'served-again',
  'always-fails',
  'second-key',
  'partner-added',
  'type-changed',
  'fee-limits-dropped',
  'partner-config-replaced',
  'fee-limits-raised',
  'base-mint-replaced',
  'quote-mint-replaced',
  'launch-names-other-config',
  'link-replaced',
  'claim-elsewhere',
  'claim-charges-the-wallet',
  'other-unread-instruction',
  'unread-nonce',
];

let real: RealWorld;
const requests = new Map<Played, () => Promise<Fields>>();
beforeAll(async () => {
  real = await RealWorld.start('hostile real');
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
}, 240_000);
afterAll(() => real.close());

/** The reasons the first stage of a plan is refused for; none where it is allowed. */
async function reasons(endpoint: Played, attack?: string): Promise<readonly string[]> {
  const { world } = real;
  const { hostile } = world.sandbox.service;
  const fields = await requests.get(endpoint)?.();
  if (fields === undefined) throw new Error(`no request for ${endpoint}`);
  hostile.use(attack);
  try {
    const plan = await world.plan(endpoint, fields);
    const decision = await world.decide(plan, plan.stages[0]?.id ?? '');
    if (decision.effect === 'allow') expect(short(decision)).toBe(ALLOWED);
    return decision.reasonCodes;
  } catch (error) {
    // Not even a plan: bytes that cannot be read are refused when the answer is.
    if (error instanceof PlanError) return [error.code];
    throw error;
  } finally {
    hostile.use(undefined);
  }
}

const played = [...ATTACKS].flatMap(([name, { plays, code, endpoints }]) => {
  if (plays === 'chain' || OTHER_ENCODING.includes(name)) return [];
  const all = ENDPOINTS.filter((endpoint) => endpoints?.includes(endpoint) ?? true);
  // Some are about endpoints that are not among these.
  return all.length === 0 ? [] : [[name, code, IN_PART[name] ?? all] as const];
});

test('honest answers to the same requests are allowed', async () => {
  for (const endpoint of ENDPOINTS) expect([endpoint, await reasons(endpoint)]).toEqual([endpoint, []]);
});

test('more than half of the attacks are played as they are', () => {
  expect(played.length).toBeGreaterThanOrEqual(60);
  const named = [...Object.keys(IN_PART), ...OTHER_ENCODING];
  expect(named.filter((name) => !ATTACKS.has(name))).toEqual([]);
});

test.each(played)(
  'an attack is refused for the reason its row names: %s',
  { timeout: 60_000 },
  async (name, code, endpoints) => {
    expect(endpoints.length).toBeGreaterThan(0);
    for (const endpoint of endpoints) {
      const codes = await reasons(endpoint, name);
      expect([code, 'PLAN_INVALID']).toContainEqual(
        codes.find((each) => each === code) ?? codes[0] ?? 'signed',
      );
    }
  },
);
