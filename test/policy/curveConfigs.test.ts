/**
 * A config that writes the terms of a curve, and a launch that adopts them: each published term is exact, and claimers,
 * payers and questions are checked (T63).
 */

import { describe, expect, it } from 'vitest';
import { asRecord } from '../../src/base/record.ts';
import { CONFIG_TYPES, DEFAULT_CONFIG_TYPE } from '../../src/contract/configTypes.ts';
import type { Decision, DecisionInputs } from '../../src/policy/decide/types.ts';
import { poolConfig } from '../../src/programs/dbc/accounts.ts';
import { feeShareConfig } from '../../src/programs/feeShare/accounts.ts';
import { feeShareAuthorityAddress, feeShareConfigAddress } from '../../src/programs/feeShare/addresses.ts';
import { encodeInstruction } from '../../src/programs/instructions.ts';
import type { AccountFact } from '../../src/rpc/types.ts';
import { WSOL_MINT } from '../../src/transaction/programs.ts';
import { withFields } from './accountFacts.ts';
import { decisionText, finds, findsNot } from './recorded/attacking.ts';
import { plus, withRequest } from './recorded/edits.ts';
import { readOf, withRead } from './recorded/operands.ts';
import { ATTACKER, decide, policyFor, policyWith, stage, WALLET, withService } from './recorded/stages.ts';
import { summaryOf } from './recorded/sweep.ts';

const KIND = 'dbc.createConfig';
const recorded = stage('curve config');
const { named } = readOf(recorded, KIND);
const key = named.accounts.config?.address ?? '';
const leftoverReceiver = named.accounts.leftoverReceiver?.address ?? '';

/** The recorded config together with the recorded curve, as if requested for it. */
function withCurve(config: DecisionInputs, args: Readonly<Record<string, unknown>> = {}): DecisionInputs {
  const mint = String(config.plan.request.baseMint);
  const curve = encodeInstruction(KIND, {
    accounts: {
      config: key,
      feeClaimer: feeShareAuthorityAddress(mint, WSOL_MINT),
      leftoverReceiver,
      quoteMint: WSOL_MINT,
      payer: WALLET,
    },
    args: { ...named.args, ...args },
    // The arguments were decoded as this kind.
  } as never);
  const seen = plus(withRequest(config, { flow: 'dbc' }), curve);
  const { simulation } = seen;
  if (simulation.status !== 'done' || recorded.simulation.status !== 'done') throw new Error('not simulated');
  const { before, after } = recorded.simulation;
  const ofIt = ({ address }: { readonly address: string }) => address === key;
  return {
    ...seen,
    accounts: [...seen.accounts, ...recorded.accounts.filter(ofIt)],
    simulation: {
      ...simulation,
      before: [...simulation.before, ...before.filter(ofIt)],
      after: [...simulation.after, ...after.filter(ofIt)],
    },
  };
}

const config = withCurve(stage('plain config'));

const curveResult = (
  args: Readonly<Record<string, unknown>>,
  request: object = {},
  inputs = config,
): string => decisionText(withRequest(withRead(inputs, KIND, { args }), { ...request }));

const fee = (cliffFeeNumerator: bigint) => ({
  poolFees: {
    ...asRecord(named.args.poolFees),
    baseFee: { ...asRecord(asRecord(named.args.poolFees).baseFee), cliffFeeNumerator },
  },
});

describe('curve terms in a config', () => {
  it('are those of the requested type, or of the default type', () => {
    expect(decide(config).effect).toBe('allow');
    expect(decisionText(withRequest(config, { serviceConfigType: DEFAULT_CONFIG_TYPE }))).toMatch(/^allow/);
    finds(
      withRequest(config, { serviceConfigType: 'another' }),
      `matchesRequest launchConfiguration (a text of 7 characters; allowed ${DEFAULT_CONFIG_TYPE})`,
    );
    const cheap = 'd16d3585-6488-4a6c-9a6f-e6c39ca0fda3';
    finds(withRequest(config, { serviceConfigType: cheap }), 'matchesRequest curveFee (2%; allowed 0.25%)');
    const cheapTerms = {
      ...fee(2_500_000n),
      migratedPoolFee: { collectFeeMode: 2, dynamicFee: 0, poolFeeBps: 100 },
      compoundingFeeBps: 5_000,
    };
    expect(curveResult(cheapTerms, { serviceConfigType: cheap })).toMatch(/^allow/);
    expect(curveResult(fee(2_500_000n), { serviceConfigType: cheap })).toMatch(
      /^require_approval[\s\S]*migratedFee/,
    );
  });

  it('have exactly the published fee', () => {
    expect(curveResult(fee(20_000_001n))).toContain('curveFee (2.0000001%; allowed 2%)');
    expect(curveResult(fee(19_999_999n))).toContain('curveFee (1.9999999%; allowed 2%)');
  });

  it('complete between half and twice the published amount', () => {
    const at = (migrationQuoteThreshold: bigint) => curveResult({ migrationQuoteThreshold });
    const WHERE = 'matchesRequest curveThreshold';
    expect(at(42_500_000_000n)).not.toContain(WHERE);
    expect(at(42_499_999_999n)).toContain(`${WHERE} (42.499999999 SOL; allowed 85 SOL)`);
    expect(at(170_000_000_000n)).not.toContain(WHERE);
    expect(at(170_000_000_001n)).toContain(`${WHERE} (170.000000001 SOL; allowed 85 SOL)`);
  });

  it('create exactly the supply of a fixed-supply type, in whole tokens of its decimals', () => {
    const [id, type] = Object.entries(CONFIG_TYPES).find(([, { supply }]) => supply !== undefined) ?? [];
    if (id === undefined || type?.supply === undefined) throw new Error('no type fixes its supply');
    const like = (preMigrationTokenSupply: bigint, tokenDecimal = 6) =>
      curveResult(
        {
          ...fee(BigInt(type.feeBpsBefore) * 100_000n),
          migrationQuoteThreshold: BigInt(type.graduationSol) * 1_000_000_000n,
          tokenSupply: { preMigrationTokenSupply, postMigrationTokenSupply: preMigrationTokenSupply },
          tokenDecimal,
        },
        { serviceConfigType: id },
      );
    const SUPPLY = 'matchesRequest tokenSupply';
    const whole = BigInt(type.supply);
    expect(like(whole * 1_000_000n)).not.toContain(SUPPLY);
    expect(like(whole * 1_000_000_000n, 9)).not.toContain(SUPPLY);
    expect(like(whole * 1_000_000n + 1n)).toContain(SUPPLY);
    expect(like(whole * 1_000_000n, 9)).toContain(SUPPLY);
  });

  it('charge the first swap like the others unless the request says otherwise', () => {
    const FIRST = 'matchesRequest firstSwapFee';
    expect(curveResult({ enableFirstSwapWithMinFee: true })).toContain(`${FIRST} (true; allowed false)`);
    finds(withRequest(config, { enableFirstSwapWithMinFee: true }), `${FIRST} (false; allowed true)`);
    expect(
      curveResult({ enableFirstSwapWithMinFee: true }, { enableFirstSwapWithMinFee: true }),
    ).not.toContain(FIRST);
    findsNot(withRequest(config, { enableFirstSwapWithMinFee: 'true' }), FIRST);
  });

  it("pay the token's fee share in the requested quote, at the wallet's expense", () => {
    const by = (accounts: Record<string, string>) => decisionText(withRead(config, KIND, { accounts }));
    expect(by({ feeClaimer: ATTACKER })).toContain('curveClaimer (ATTACKER; allowed');
    expect(by({ feeClaimer: WALLET })).toContain('curveClaimer (WALLET; allowed');
    expect(by({ quoteMint: WALLET })).toContain('curveQuote (WALLET; allowed So1111…)');
    expect(by({ payer: key })).toMatch(/curvePayer \(\w+…; allowed WALLET\)/);
  });

  it('are written only for a launch on a curve', () => {
    const UNEXPECTED = 'instructionBelongs (#4 createPoolConfig)';
    finds(withRequest(config, { flow: 'damm_v2_direct' }), UNEXPECTED);
    findsNot(withRequest(stage('plain config'), { flow: 'dbc' }), 'curveConfig');
  });

  it('leave no mint authority', () => {
    expect(curveResult({ tokenUpdateAuthority: 3 })).toContain(
      'noMoreTokens (a text of 7 characters; allowed none)',
    );
    expect(curveResult({ tokenUpdateAuthority: 2 })).not.toContain('noMoreTokens');
  });
});

/** The launch with other terms in the account of its curve. */
const launch = stage('bare curve launch');
const launching = (change: object): DecisionInputs => ({
  ...launch,
  accounts: launch.accounts.map((each) => {
    if (each.address !== launch.plan.request.configKey) return each;
    return withFields(poolConfig, each, () => change);
  }),
});
const why = ({ checks }: Decision): string | undefined =>
  checks.find(({ code, ok }) => code === 'TERM_DIFFERS' && !ok)?.id;

/** Terms of the type that locks supply and lowers the fee as the price rises. */
const LOCKED = { serviceConfigType: 'ba28db46-ea6f-4452-8218-5587f6aca0a1' };
const YEAR = 365 * 86_400;
const locked = (lock: object = {}, fall: object = {}) => ({
  lockedVesting: {
    ...{
      amountPerPeriod: 1n,
      cliffDurationFromMigrationTime: BigInt(YEAR),
      frequency: 1n,
      numberOfPeriod: 1n,
    },
    ...{ cliffUnlockAmount: 959_999_999_999_999n, ...lock },
  },
  migratedPoolBaseFeeMode: 3,
  migratedPoolMarketCapFeeSchedulerParams: {
    ...{ numberOfPeriod: 100, sqrtPriceStepBps: 100, schedulerExpirationDuration: YEAR },
    ...{ reductionFactor: 150_000n, ...fall },
  },
});

describe('a type with a lock and a falling fee', () => {
  it('is allowed if both last', () => {
    expect(curveResult(locked(), LOCKED)).toMatch(/^allow/);
    const monthly = { cliffDurationFromMigrationTime: 0n, cliffUnlockAmount: 0n, frequency: 60n * 86_400n };
    const amounts = { amountPerPeriod: 480_000_000_000_000n, numberOfPeriod: 2n };
    expect(curveResult(locked({ ...monthly, ...amounts }), LOCKED)).toMatch(/^allow/);
  });

  it.each([
    [
      'is released at once',
      locked({ cliffDurationFromMigrationTime: 0n }),
      'lockedSupply (960,000,000 tokens, half of it for 0 seconds; allowed 960,000,000 tokens for at least 30 days)',
    ],
    [
      'is released at once but for one unit',
      locked({ cliffDurationFromMigrationTime: 0n, frequency: 315_360_000n }),
      'half of it for 0 seconds',
    ],
    [
      'is released by the second',
      locked({
        ...{ cliffDurationFromMigrationTime: 0n, cliffUnlockAmount: 0n },
        ...{ amountPerPeriod: 10_000_000_000_000n, numberOfPeriod: 96n },
      }),
      'half of it for 48 seconds',
    ],
    [
      'has the lowest fee after a second',
      locked({}, { schedulerExpirationDuration: 1 }),
      'migratedFee (2% (0.5% to 2% later, the lowest at 4 times the first price or after 1 second); allowed 2%, falling to 0.5%)',
    ],
    [
      'has the lowest fee with the first purchase',
      locked({}, { sqrtPriceStepBps: 1 }),
      'the lowest at 1.02 times the first price or after 365 days',
    ],
  ])('asks if it %s', (_, args, found) => {
    const text = curveResult(args, LOCKED);
    expect(text).toMatch(/^require_approval/);
    expect(text).toContain(found);
  });
});

describe('curve terms ask the owner', () => {
  const TO_STRANGER = 'PARTY_UNKNOWN: leftoverReceiver (ATTACKER';
  const stranger = withRead(config, KIND, { accounts: { leftoverReceiver: ATTACKER } });
  const knowing = (inputs: DecisionInputs, label: string, address: string): DecisionInputs => ({
    ...inputs,
    serviceAddresses: [{ label, address }],
  });

  it('if they give something away, with a message for each', () => {
    const decision = decide(withRead(config, KIND, { args: { creatorTradingFeePercentage: 5 } }));
    expect(decision.effect).toBe('require_approval');
    const PART = 'creatorFee';
    expect(why(decision)).toBe(PART);
    expect(why(decide(launching({ creatorTradingFeePercentage: 5 })))).toBe(PART);
  });

  it('if the remainder goes to an unknown address though the treasury is known', () => {
    expect(decide(stranger).effect).toBe('allow');
    const known = (inputs: DecisionInputs) => decide(knowing(inputs, 'treasury', leftoverReceiver));
    expect(summaryOf(known(stranger))).toContain(TO_STRANGER);
    expect(known(config).effect).toBe('allow');
    expect(decide(knowing(stranger, 'a lookup program', leftoverReceiver)).effect).toBe('allow');
    expect(decide(knowing(stranger, 'treasury', ATTACKER)).effect).toBe('allow');
    const ours = withRead(config, KIND, { accounts: { leftoverReceiver: WALLET } });
    expect(known(ours).effect).toBe('allow');
  });

  it('unless the address book names the receiver', () => {
    const treasury = knowing(stranger, 'treasury', leftoverReceiver);
    const booked = policyWith((file) => ({
      ...withService(file),
      addressBook: [{ label: 'rest', address: ATTACKER }],
    }));
    expect(decide(treasury, booked).effect).toBe('allow');
    expect(decide(treasury).effect).toBe('require_approval');
  });

  it('about any receiver of the remainder in live mode if no treasury is known', () => {
    const live = (inputs: DecisionInputs): string => summaryOf(decide({ ...inputs, mode: 'live' }));
    const LEFT = 'leftoverReceiver';
    expect(live(config)).toContain(LEFT);
    expect(live(knowing(config, 'treasury', leftoverReceiver))).not.toContain(LEFT);
  });
});

it("unless the remainder goes to the token's own fee share", () => {
  const { baseMint } = config.plan.request;
  const shared = feeShareAuthorityAddress(String(baseMint), WSOL_MINT);
  const derived = withRead(config, KIND, { accounts: { leftoverReceiver: shared } });
  findsNot({ ...derived, mode: 'live' }, 'leftoverReceiver');
});

describe('a policy that lists tokens', () => {
  const naming = (...mints: string[]) =>
    policyWith((file) => ({ ...withService(file), tokens: { ...file.tokens, mints } }));
  const ONE = 'NO_RULE: tokenListed (SOL)';

  it.each([
    ['a config', stage('plain config')],
    ['a launch that buys first', stage('bare curve launch')],
  ])('refuses %s in an unlisted quote', (_, inputs) => {
    finds(inputs, ONE, naming(ATTACKER));
    findsNot(inputs, ONE, naming('SOL'));
  });

  it('does not apply to a launch without a first buy', () => {
    const none = withRequest(stage('bare curve launch'), { initialBuyLamports: 0 });
    findsNot(none, ONE, naming(ATTACKER));
  });
});

describe('a launch on a curve', () => {
  const launched = (inputs: DecisionInputs): string =>
    summaryOf(decide(inputs, policyFor('bare curve launch')));

  it('accepts terms on chain in its quote that pay its fee share and leave no mint authority', () => {
    expect(launched(launch)).toMatch(/^allow/);
    const gone = {
      ...launch,
      accounts: launch.accounts.filter(({ address }) => address !== launch.plan.request.configKey),
    };
    expect(launched(gone)).toContain('REQUEST_MISMATCH: curveOnChain');
    expect(launched(launching({ quoteMint: ATTACKER }))).toContain(
      'REQUEST_MISMATCH: curveQuote (ATTACKER; allowed So1111…)',
    );
    expect(launched(launching({ feeClaimer: ATTACKER }))).toContain(
      'REQUEST_MISMATCH: curveClaimer (ATTACKER; allowed',
    );
    expect(launched(launching({ tokenUpdateAuthority: 3 }))).toContain(
      'REQUEST_MISMATCH: noMoreTokens (creator)',
    );
    expect(launched(launching({ tokenUpdateAuthority: 2 }))).not.toContain('noMoreTokens');
  });

  it('has the requested token, quote and fee share, once that is complete', () => {
    expect(launched(withRequest(launch, { tokenMint: ATTACKER }))).toMatch(
      /matchesRequest launchedToken \(\w+…; allowed ATTACKER\)/,
    );
    expect(launched(withRequest(launch, { quoteMint: ATTACKER }))).toContain(
      'matchesRequest poolQuote (So1111…; allowed ATTACKER)',
    );
    const SHARE = 'REQUEST_MISMATCH: configOfToken';
    const mint = String(launch.plan.request.tokenMint);
    const named = `${mint.slice(0, 6)}…`;
    const share = feeShareConfigAddress(mint, WSOL_MINT);
    const kept = (change: (fact: AccountFact) => AccountFact): DecisionInputs => ({
      ...launch,
      accounts: launch.accounts.map((each) => (each.address === share ? change(each) : each)),
    });
    expect(launched(launch)).not.toContain(SHARE);
    expect(launched(withRequest(launch, { feeShareConfig: share }))).not.toContain(SHARE);
    expect(launched(withRequest(launch, { feeShareConfig: ATTACKER }))).toContain(
      `${SHARE} (another; allowed ${named})`,
    );
    const open = kept((each) => withFields(feeShareConfig, each, () => ({ isInitFinalized: 0 })));
    expect(launched(open)).toContain(`${SHARE} (${named}; allowed ${named})`);
    expect(launched(kept((each) => ({ ...each, data: '' })))).toContain(
      `${SHARE} (no finished config; allowed ${named})`,
    );
  });

  it.each([
    ['bare curve launch', 'dbc.swap2'],
    ['direct launch', 'dammV2.swap2'],
  ] as const)('%s buys first from its own pool, for its own wallet, without a referral', (name, kind) => {
    const by = (accounts: Record<string, string>): string =>
      summaryOf(decide(withRead(stage(name), kind, { accounts }), policyFor(name)));
    expect(by({ referralTokenAccount: ATTACKER })).toContain(
      'referralAccount (ATTACKER; allowed no account)',
    );
    // The pool of a curve is derived from its token, so another one is unsupported.
    expect(by({ pool: ATTACKER })).toMatch(
      name === 'direct launch' ? /firstBuyPool \(ATTACKER; allowed/ : /INSTRUCTION_MISFIT/,
    );
    expect(by({ payer: ATTACKER })).toContain('buyer (ATTACKER; allowed WALLET)');
    expect(by({ inputTokenAccount: ATTACKER })).toContain('source (ATTACKER)');
    expect(by({ outputTokenAccount: ATTACKER })).toContain(
      'destination (ATTACKER; allowed an account of the wallet)',
    );
  });
});
