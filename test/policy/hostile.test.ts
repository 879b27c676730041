/**
 * The hostile service's attacks on their endpoints: each is refused for the reason in its row, and the same requests
 * answered honestly are allowed. The attack table (test/attacks/table.test.ts) covers bundles and sponsored claims.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ATTACKS, secondWallet, unsupportedProgramOf } from '../../sandbox/attacks/service/index.ts';
import { partnerConfig } from '../../sandbox/programs/feeShare.ts';
import type { EndpointName } from '../../src/contract/index.ts';
import { PlanError } from '../../src/plan/errors.ts';
import type { LoadedPolicy } from '../../src/policy/file/file.ts';
import { WSOL_MINT } from '../../src/transaction/programs.ts';
import { keyNamed, unsupportedProgram } from './people.ts';
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

/** Attacks on their own requests, below. */
const ON_OTHER_REQUESTS: readonly string[] = [
  ...[...ATTACKS].flatMap(([name, { plays }]) => (plays === 'token' ? [name] : [])),
  'partner-replaced',
  'curve-supply-doubled',
  'second-key',
  'quote-poisoned',
  'other-unsupported-instruction',
  'unsupported-nonce',
  'unsupported-program-authority',
  'unsupported-fee-manager',
];

/** Attacks on other claims, on later transactions and on ledger state, covered by the attack table. */
const BY_THE_TABLE: readonly string[] = [
  'claim-elsewhere',
  'claim-charges-the-wallet',
  'served-again',
  'first-buy-overpriced',
  'quote-far-off',
  'tip-paid-again',
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
}, 240_000);
afterAll(() => real.close());

/** Returns the reasons of the first stage's refusal; none if it is allowed. */
async function reasons(
  endpoint: Played,
  attack?: string,
  request = requests.get(endpoint),
  policy = real.world.policy,
): Promise<readonly string[]> {
  const { world } = real;
  const { hostile } = world.sandbox.service;
  if (request === undefined) throw new Error(`no request for ${endpoint}`);
  // A service that falsifies prices does so from the quote on.
  if (attack !== undefined && ATTACKS.get(attack)?.endpoints?.includes('tradeQuote')) hostile.use(attack);
  try {
    const fields = await request();
    hostile.use(attack);
    const plan = await world.plan(endpoint, fields);
    const decision = await world.decide(plan, plan.stages[0]?.id ?? '', policy);
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
  if (plays === 'chain' || ON_OTHER_REQUESTS.includes(name) || BY_THE_TABLE.includes(name)) return [];
  const all = ENDPOINTS.filter((endpoint) => endpoints?.includes(endpoint) ?? true);
  // Some attacks concern other endpoints.
  return all.length === 0 ? [] : [[name, code, IN_PART[name] ?? all] as const];
});

test('honest answers to the same requests are allowed', async () => {
  for (const endpoint of ENDPOINTS) expect([endpoint, await reasons(endpoint)]).toEqual([endpoint, []]);
});

test('nearly all attacks run on ordinary requests', () => {
  expect(played.length).toBeGreaterThanOrEqual(80);
  const named = [...Object.keys(IN_PART), ...ON_OTHER_REQUESTS, ...BY_THE_TABLE];
  expect(named.filter((name) => !ATTACKS.has(name))).toEqual([]);
});

test.each(played)(
  'an attack is refused for the reason in its row: %s',
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

/** An attack's own request, policy and endpoint. */
interface Special {
  readonly endpoint: Played;
  readonly request: () => Promise<Fields>;
  readonly policy?: () => Promise<LoadedPolicy> | LoadedPolicy;
}

const swap = (inputMint: string, outputMint: string, amount: string) => () =>
  real.world.quoted({ inputMint, outputMint, amount });
const token = (serial: number): string => real.world.sandbox.service.keys.tokenMint(serial).address;
const tokenPurchase = () => swap(WSOL_MINT, token(0), '50000000')();
const configOf = async (extra: Fields): Promise<Fields> =>
  real.world.configRequest((await real.world.token()).mint, [7000, 3000], extra);

/** A policy that lists instructions of the attacker's program for trades. */
const naming = (...instructions: string[]): LoadedPolicy => {
  const { tools } = real.world.sandbox.service.hostile;
  return real.world.policyWith((file) => ({
    ...file,
    programs: [...file.programs, unsupportedProgram(unsupportedProgramOf(tools), { instructions })],
  }));
};

/** The owner's minimum rate for a fair trade. */
async function withLowestRate(): Promise<LoadedPolicy> {
  const trade = { inputMint: WSOL_MINT, outputMint: token(0), amount: '50000000', taker: real.wallet };
  const { outAmount } = Object(await real.world.call('tradeQuote', { ...trade, slippageMode: 'auto' }));
  const floor = {
    input: 'SOL',
    output: trade.outputMint,
    perInput: trade.amount,
    minOutput: `${(BigInt(String(outAmount)) * 9n) / 10n}`,
  };
  return real.world.policyWith((file) => ({
    ...file,
    rules: file.rules.map((rule) => (rule.operation === 'swap' ? { ...rule, minRates: [floor] } : rule)),
  }));
}

const SPECIAL: Readonly<Record<string, Special>> = {
  'partner-replaced': {
    endpoint: 'feeShareConfig',
    request: () => {
      const partner = keyNamed('partner').address;
      return configOf({ partner, partnerConfig: partnerConfig(partner, { quoteMint: WSOL_MINT }) });
    },
  },
  // A type with a fixed supply; the contract publishes none for the others, so the owner is asked.
  'curve-supply-doubled': {
    endpoint: 'feeShareConfig',
    request: () => configOf({ flow: 'dbc', serviceConfigType: 'e2963a6c-441a-4862-9d80-b94e3a481cd7' }),
  },
  'second-key': {
    endpoint: 'tradeSwap',
    request: tokenPurchase,
    policy: () => {
      const { address } = secondWallet(real.world.sandbox.service);
      return real.world.policyWith((file) => ({
        ...file,
        wallets: [...file.wallets, { label: 'second', address }],
      }));
    },
  },
  'issuer-can-freeze': { endpoint: 'tradeSwap', request: tokenPurchase },
  'quote-poisoned': { endpoint: 'tradeSwap', request: tokenPurchase, policy: withLowestRate },
  'other-unsupported-instruction': {
    endpoint: 'tradeSwap',
    request: tokenPurchase,
    policy: () => naming('01'),
  },
  'unsupported-nonce': { endpoint: 'tradeSwap', request: tokenPurchase, policy: () => naming('05000000') },
  'unsupported-program-authority': {
    endpoint: 'tradeSwap',
    request: tokenPurchase,
    policy: () => naming('04000000'),
  },
  'unsupported-fee-manager': {
    endpoint: 'tradeSwap',
    request: tokenPurchase,
    policy: () => naming('8d4a11ae7c0baae3'),
  },
};

/** A sale for a listed Token-2022 quote token with a transfer fee. */
const sells: Special = {
  endpoint: 'tradeSwap',
  request: () => swap(token(2), real.world.quote('TAXQ'), '1000000000')(),
  policy: () =>
    real.world.policyWith((file) => ({
      ...file,
      tokens: { ...file.tokens, mints: [token(2), real.world.quote('TAXQ')] },
    })),
};

test.each(ON_OTHER_REQUESTS)(
  'an attack is refused for the reason in its row, and its honest twin allowed: %s',
  { timeout: 60_000 },
  async (name) => {
    const { endpoint, request, policy } = SPECIAL[name] ?? sells;
    const decidedBy = await policy?.();
    expect(await reasons(endpoint, undefined, request, decidedBy)).toEqual([]);
    expect(await reasons(endpoint, name, request, decidedBy)).toContain(ATTACKS.get(name)?.code);
  },
);
