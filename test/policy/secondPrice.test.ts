/** A swap compared with the price of the token's own curve or of a known pool (T181). */
import { describe, expect, it } from 'vitest';
import type { Decision, DecisionInputs } from '../../src/policy/decide/types.ts';
import type { PolicyFile } from '../../src/policy/file/schema.ts';
import { readAs } from '../../src/programs/account.ts';
import { pool } from '../../src/programs/dammV2/accounts.ts';
import { DAMM_V2_PROGRAM } from '../../src/programs/dammV2/addresses.ts';
import { poolConfig, virtualPool } from '../../src/programs/dbc/accounts.ts';
import { DBC_PROGRAM } from '../../src/programs/dbc/addresses.ts';
import type { AccountFact } from '../../src/rpc/types.ts';
import { withFields } from './accountFacts.ts';
import { approvalOfStage, approvedView, coverage } from './approving.ts';
import { keyNamed } from './people.ts';
import { quoted, withRaw } from './recorded/edits.ts';
import { decide, policyFor, policyWith, stage, withVenue } from './recorded/stages.ts';

const onCurve = stage('swap on a curve');
const inPool = stage('swap in a pool');

const askChecks = ({ checks }: Decision) => checks.filter(({ code }) => code === 'PRICE_DEVIATES');
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
    expect(askChecks(decide(inputs))).toEqual([]);
    expect(askChecks(decide(worse(inputs, 97n)))).toEqual([]);
    const decision = decide(worse(inputs, 17n));
    expect(decision.effect).not.toBe('allow');
    const [ask] = askChecks(decision);
    expect(ask?.params).toMatchObject({ pool: accountOf(inputs, length).address });
    expect(ask?.observed).toMatch(/\d/);
    expect(ask?.allowed).toMatch(/\d/);
  });

  it('of a pool that it does not trade in, and of the best of several', () => {
    expect(askChecks(decide(withPool(inPool, otherPool(250n))))).toHaveLength(1);
    expect(askChecks(decide(withPool(inPool, otherPool(40n))))).toEqual([]);
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
    expect(askChecks(decide(nearlySold(onCurve)))).toEqual([]);
    expect(askChecks(decide(nearlySold(worse(onCurve, 1n))))).toHaveLength(1);
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
    expect(askChecks(decide(withPool(worse(onCurve, 17n), strangers)))).toHaveLength(1);
  });

  it('with its minimum, beside a program without a reader', () => {
    const unsupported = stage('swap with an unsupported program');
    const policy = policyFor('swap with an unsupported program');
    expect(askChecks(decide(unsupported, policy))).toEqual([]);
    const minOutAmount = `${BigInt(String(unsupported.quote?.quote.minOutAmount)) / 6n}`;
    expect(askChecks(decide(quoted(unsupported, { minOutAmount }), policy))).toHaveLength(1);
  });
});

describe('the second price bound', () => {
  const bound = (maxPriceDeviationBps: number) =>
    policyWith((file: PolicyFile) => ({
      ...withVenue(file),
      rules: file.rules.map((rule) => (rule.operation === 'swap' ? { ...rule, maxPriceDeviationBps } : rule)),
    }));

  it("is the rule's, to the basis point", () => {
    expect(askChecks(decide(onCurve, bound(101)))).toEqual([]);
    expect(askChecks(decide(onCurve, bound(99)))).toHaveLength(1);
    expect(askChecks(decide(worse(onCurve, 17n), bound(10_000)))).toEqual([]);
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
