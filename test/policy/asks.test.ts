/** Questions to the owner: second price, first purchase, approvals (T181, T183). */
import { describe, expect, it } from 'vitest';
import { evaluate } from '../../src/policy/decide/evaluate.ts';
import type { Decision, DecisionInputs, LedgerView } from '../../src/policy/decide/types.ts';
import { GENESIS } from '../../src/policy/file/networks.ts';
import type { PolicyFile } from '../../src/policy/file/schema.ts';
import { readAs } from '../../src/programs/account.ts';
import { pool } from '../../src/programs/dammV2/accounts.ts';
import { DAMM_V2_PROGRAM } from '../../src/programs/dammV2/addresses.ts';
import { poolConfig, virtualPool } from '../../src/programs/dbc/accounts.ts';
import { DBC_PROGRAM } from '../../src/programs/dbc/addresses.ts';
import { policyTemplate } from '../../src/review/templates/templates.ts';
import type { AccountFact } from '../../src/rpc/types.ts';
import { WSOL_MINT } from '../../src/transaction/programs.ts';
import { tokenAccount, withFields } from './accountFacts.ts';
import { approvalOfStage, approvedView, coverage, withLines } from './approving.ts';
import { expectDenied, inputs, under } from './deciding.ts';
import { keyNamed, load } from './people.ts';
import { quoted, withRaw } from './recorded/edits.ts';
import { decide, policyFor, policyWith, rewritten, stage, WALLET, withVenue } from './recorded/stages.ts';

const onCurve = stage('swap on a curve');
const inPool = stage('swap in a pool');

const priceChecks = ({ checks }: Decision) => checks.filter(({ code }) => code === 'PRICE_DEVIATES');
/** The same swap at this percentage of its price, including its quote and encoded minimum. */
const worse = (inputs: DecisionInputs, percent: bigint): DecisionInputs => {
  const of = (value: unknown) => (BigInt(String(value)) * percent) / 100n;
  const { outAmount, minOutAmount, feeSide, feeLamports } = Object(inputs.quote?.quote);
  // A fee in the output token stays unchanged.
  const fee = feeSide === 'output' ? BigInt(feeLamports) : 0n;
  const net = (value: string) => `${of(BigInt(value) + fee) - fee - 2n}`;
  const cheap = quoted(inputs, { outAmount: net(outAmount), minOutAmount: net(minOutAmount) });
  const program = inputs === onCurve ? DBC_PROGRAM : DAMM_V2_PROGRAM;
  return withRaw(cheap, program, 0, (one) => {
    const data = Buffer.from(one.data);
    data.writeBigUInt64LE(of(data.readBigUInt64LE(16)), 16);
    return { ...one, data: new Uint8Array(data) };
  });
};
const withPool = (inputs: DecisionInputs, changed: AccountFact): DecisionInputs => ({
  ...inputs,
  accounts: [...inputs.accounts, changed],
});
const accountOf = (inputs: DecisionInputs, length: number): AccountFact => {
  const found = inputs.accounts.find(({ data }) => Buffer.from(data, 'base64').length === length);
  if (found === undefined) throw new Error(`no account of ${length} bytes`);
  return found;
};
const known = accountOf(inPool, 1112);
/** Another pool of the pair, at this percentage of the price. */
const otherPool = (percent: bigint): AccountFact => ({
  ...withFields(pool, known, ({ sqrtPrice, sqrtMinPrice, liquidity }) => ({
    sqrtPrice: (sqrtPrice * percent) / 100n,
    sqrtMinPrice: (sqrtMinPrice * percent) / 200n,
    liquidity: liquidity * 10n,
  })),
  address: keyNamed('another pool').address,
});

describe('a swap asks if it pays less than the second price allows', () => {
  it.each([
    ['the curve that made the token', onCurve, 424],
    ['the pool of the two mints', inPool, 1112],
  ] as const)('of %s, with both prices', (_, inputs, length) => {
    expect(priceChecks(decide(inputs))).toEqual([]);
    expect(priceChecks(decide(worse(inputs, 97n)))).toEqual([]);
    const decision = decide(worse(inputs, 17n));
    expect(decision.effect).not.toBe('allow');
    const [ask] = priceChecks(decision);
    expect(ask?.params).toMatchObject({ pool: accountOf(inputs, length).address });
    expect(ask?.observed).toMatch(/\d/);
    expect(ask?.allowed).toMatch(/\d/);
  });

  it('of a pool that it does not trade in, and of the best of several', () => {
    expect(priceChecks(decide(withPool(inPool, otherPool(250n))))).toHaveLength(1);
    expect(priceChecks(decide(withPool(inPool, otherPool(40n))))).toEqual([]);
  });

  it("though the curve takes only a part of it: the whole is worth at least that part's proceeds", () => {
    const { address } = accountOf(onCurve, 424);
    const nearlySold = (inputs: DecisionInputs): DecisionInputs => ({
      ...inputs,
      accounts: inputs.accounts.map((each) =>
        each.address === config ? withFields(poolConfig, each, shortened) : each,
      ),
    });
    const curve = onCurve.accounts.find((each) => each.address === address);
    const { config, sqrtPrice } = Object(
      readAs(virtualPool, { owner: DBC_PROGRAM, data: Buffer.from(curve?.data ?? '', 'base64') }),
    );
    // The trade itself moves the price by more than a thousandth.
    const shortened = ({ curve: points }: { curve: readonly { liquidity: bigint }[] }) => ({
      migrationSqrtPrice: sqrtPrice + sqrtPrice / 1_000n,
      curve: points.map(({ liquidity }) => ({ sqrtPrice: sqrtPrice + sqrtPrice / 1_000n, liquidity })),
    });
    expect(priceChecks(decide(nearlySold(onCurve)))).toEqual([]);
    expect(priceChecks(decide(nearlySold(worse(onCurve, 1n))))).toHaveLength(1);
  });

  it('though its own pool was opened by a stranger while the curve trades', () => {
    const { inputMint, outputMint } = Object(onCurve.quote?.quote);
    const strangers = {
      ...withFields(pool, known, ({ sqrtPrice }) => ({
        tokenAMint: outputMint,
        tokenBMint: inputMint,
        sqrtPrice: sqrtPrice * 10n,
      })),
      address: keyNamed('a stranger’s pool').address,
    };
    expect(priceChecks(decide(withPool(worse(onCurve, 17n), strangers)))).toHaveLength(1);
  });

  it('with its minimum, beside a program without a reader', () => {
    const unsupported = stage('swap with an unsupported program');
    const policy = policyFor('swap with an unsupported program');
    expect(priceChecks(decide(unsupported, policy))).toEqual([]);
    const minOutAmount = `${BigInt(String(unsupported.quote?.quote.minOutAmount)) / 6n}`;
    expect(priceChecks(decide(quoted(unsupported, { minOutAmount }), policy))).toHaveLength(1);
  });
});

describe('the second price bound', () => {
  const bound = (maxPriceDeviationBps: number) =>
    policyWith((file: PolicyFile) => ({
      ...withVenue(file),
      rules: file.rules.map((rule) => (rule.operation === 'swap' ? { ...rule, maxPriceDeviationBps } : rule)),
    }));

  it("is the rule's, to the basis point", () => {
    expect(priceChecks(decide(onCurve, bound(101)))).toEqual([]);
    expect(priceChecks(decide(onCurve, bound(99)))).toHaveLength(1);
    expect(priceChecks(decide(worse(onCurve, 17n), bound(10_000)))).toEqual([]);
  });

  it('asks nothing without a second price', () => {
    const without = {
      ...inPool,
      accounts: inPool.accounts.filter(({ address }) => address !== known.address),
    };
    const { checks } = decide(without);
    expect(checks.some(({ id }) => id === 'secondPrice')).toBe(false);
  });

  it('covers a rebuilt swap once approved, and no worse one', () => {
    const bad = worse(onCurve, 50n);
    const [policy, approval] = [policyFor(''), approvalOfStage(bad, policyFor(''))];
    expect(decide(bad, policy, approvedView(decide(bad), bad)).effect).toBe('allow');
    expect(coverage(approval, bad, policy)).toEqual({ covered: true });
    expect(coverage(approval, worse(onCurve, 40n), policy)).toMatchObject({ line: 'receives' });
  });
});

const buy = stage('swap on a curve');
const MINT = String(buy.quote?.quote.outputMint);
const fee = decide(buy).recipients.find(({ role }) => role === 'payment')?.address ?? '';

/** The inputs of a live server. No public profile names a treasury; without one the fee asks by itself. */
const live = (inputs: DecisionInputs): DecisionInputs => ({
  ...inputs,
  mode: 'live',
  plan: { ...inputs.plan, mode: 'live' },
  serviceAddresses: [{ label: 'treasury', address: fee }],
});
const purchaseChecks = ({ checks }: Decision) =>
  checks.filter(({ ok, code }) => !ok && code === 'FIRST_PURCHASE');
const withFirstPurchase = (firstPurchase: 'ask' | 'allow') =>
  policyWith(({ rules }) => ({
    rules: rules.map((rule) => (rule.operation === 'swap' ? { ...rule, firstPurchase } : rule)),
  }));

describe('a first purchase', () => {
  it('asks in live mode, with the mint, unless the token was bought or launched here', () => {
    const first = decide(live(buy));
    expect(first).toMatchObject({
      effect: 'require_approval',
      class: 'policy',
      reasonCodes: ['APPROVAL_REQUIRED', 'FIRST_PURCHASE'],
    });
    expect(purchaseChecks(first)[0]?.params).toEqual({ mint: MINT });
    expect(decide(live({ ...buy, held: true })).effect).toBe('allow');
  });

  it('requires approval even if the wallet has received some of the token', () => {
    const dust = tokenAccount(keyNamed('dust').address, { mint: MINT, owner: WALLET, amount: 1n });
    expect(purchaseChecks(decide(live({ ...buy, accounts: [...buy.accounts, dust] })))).toHaveLength(1);
  });

  it('does not ask about a listed token, nor about SOL', () => {
    const listed = policyWith(({ tokens }) => ({ tokens: { ...tokens, mints: ['SOL', MINT] } }));
    expect(decide(live(buy), listed).effect).toBe('allow');
    const sale = stage('swap for SOL');
    expect(sale.quote?.quote.outputMint).toBe(WSOL_MINT);
    expect(purchaseChecks(decide(live(sale)))).toEqual([]);
  });

  it('asks if the rule says so, and on a local chain only then', () => {
    expect(decide(live(buy), withFirstPurchase('allow')).effect).toBe('allow');
    expect(purchaseChecks(decide(live(buy), withFirstPurchase('ask')))).toHaveLength(1);
    expect(decide(buy).effect).toBe('allow');
    expect(decide({ ...live(buy), localRpc: true }).effect).toBe('allow');
    expect(purchaseChecks(decide(buy, withFirstPurchase('ask')))).toHaveLength(1);
  });

  it('asks under the trader template, and under the sandbox template on a public network', () => {
    const network = GENESIS['mainnet-beta'] ?? '';
    const inputs = { ...live(buy), network, plan: { ...live(buy).plan, network } };
    for (const name of ['trader', 'sandbox'] as const) {
      const policy = load(policyTemplate(name, { wallet: WALLET, network }));
      expect(purchaseChecks(decide(inputs, policy)), name).toHaveLength(1);
      expect(purchaseChecks(decide({ ...inputs, held: true }, policy)), name).toEqual([]);
    }
  });

  it('is covered by its approval when rebuilt', () => {
    const first = live(buy);
    const policy = policyFor('');
    const approval = approvalOfStage(first, policy);
    expect(evaluate(first, policy, approvedView(decide(first), first)).effect).toBe('allow');
    expect(coverage(approval, first, policy)).toEqual({ covered: true });
    // An approval of a swap that was no first purchase does not cover a first purchase.
    const without = withLines(approval, (line) => (line.id === 'asks' ? undefined : line));
    expect(coverage(without, first, policy)).toMatchObject({ covered: false, line: 'asks' });
  });
});

it('is a rule condition with two allowed values', () => {
  const rule = (firstPurchase: string) => () =>
    load({
      ...policyTemplate('trader', { wallet: WALLET, network: 'devnet' }),
      rules: [Object({ id: 'trade', operation: 'swap', effect: 'allow', firstPurchase, why: 'a test' })],
    });
  expect(rule('ask')).not.toThrow();
  expect(rule('never')).toThrow();
});

describe('approvals', () => {
  const requireApproval = (file: PolicyFile): PolicyFile => ({
    ...file,
    rules: file.rules.map((rule) => ({ ...rule, effect: 'require_approval' as const })),
  });
  const granted = (change: Partial<NonNullable<LedgerView['approval']>> = {}): LedgerView => ({
    used: {},
    approval: {
      id: 'a1',
      messageSha256: under(requireApproval).messageSha256,
      expiresAt: inputs.time + 1000,
      ...change,
    },
  });

  it('are requested by a rule and allow the stage once given', () => {
    const askDecision = under(requireApproval);
    expect(askDecision).toMatchObject({
      effect: 'require_approval',
      reasonCodes: ['APPROVAL_REQUIRED'],
      class: 'policy',
    });
    expect(under(requireApproval, granted())).toMatchObject({ effect: 'allow', reasonCodes: [] });
  });

  it('count only for the approved stage and until they expire (T40)', () => {
    const late = under(requireApproval, granted({ expiresAt: inputs.time }));
    expect(late).toMatchObject({
      effect: 'require_approval',
      reasonCodes: ['APPROVAL_EXPIRED', 'APPROVAL_REQUIRED'],
    });
    // Of bytes other than those the ledger compared.
    expect(under(requireApproval, granted({ messageSha256: '00'.repeat(32) })).effect).toBe(
      'require_approval',
    );
  });

  it('cover a stage of the same intent that takes no more than was approved', () => {
    const [policy, approval] = [
      policyWith(requireApproval),
      approvalOfStage(inputs, policyWith(requireApproval)),
    ];
    expect(coverage(approval, inputs, policy)).toEqual({ covered: true });
    const other = { ...inputs.plan, intentKey: 'another intent' };
    expect(coverage(approval, { ...inputs, plan: other }, policy)).toMatchObject({ line: 'scope' });
    const paying = (by: bigint) =>
      withLines(approval, (line) =>
        line.id === 'pays' && line.why === 'deposit' ? { ...line, atMost: line.atMost + by } : line,
      );
    expect(coverage(paying(-1n), inputs, policy)).toMatchObject({ covered: false, line: 'pays' });
    expect(coverage(paying(1n), inputs, policy)).toEqual({ covered: true });
  });

  it('survive a new blockhash and an equivalent encoding, not another request or policy', () => {
    const policy = policyWith(requireApproval);
    const approval = approvalOfStage(
      rewritten(inputs, (list) => list),
      policy,
    );
    const covered = (changed: DecisionInputs, by = policy) => coverage(approval, changed, by);
    const blockhash = keyNamed('another blockhash').address;
    const fresh = rewritten(inputs, (list) => list, { blockhash });
    const { declared } = fresh.stage;
    for (const same of [
      { ...fresh, stage: { ...fresh.stage, declared: { ...declared, blockhash } } },
      rewritten(inputs, (list) => list.toReversed()),
    ])
      expect(covered(same)).toEqual({ covered: true });
    const { request } = inputs.plan;
    const other = { ...inputs.plan, request: { ...request, basisPointsArray: [6000, 4000] } };
    expect(covered({ ...inputs, plan: other })).toMatchObject({ line: 'scope' });
    const renamed = policyWith((file) => ({ ...requireApproval(file), id: 'other' }));
    expect(covered(inputs, renamed)).toMatchObject({ line: 'scope', key: 'policyHash' });
  });

  it('never turn a denial into an allow', () => {
    const view = { ...granted(), frozen: { since: 1, reason: 'x' } };
    expectDenied(under(requireApproval, view), 'FROZEN');
  });
});
