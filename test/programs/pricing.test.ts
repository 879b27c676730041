/** The output of a swap on a curve or in a pool, compared with the public clients of both programs (T181). */
import * as anchor from '@coral-xyz/anchor';
import { CpAmmIdl, swapQuoteExactInput } from '@meteora-ag/cp-amm-sdk';
import { DynamicBondingCurveIdl, swapQuote } from '@meteora-ag/dynamic-bonding-curve-sdk';
import { describe, expect, it } from 'vitest';
import { type AccountLayout, readAs } from '../../src/programs/account.ts';
import { type Pool, pool as poolLayout } from '../../src/programs/dammV2/accounts.ts';
import {
  type PoolConfig,
  poolConfig,
  type VirtualPool,
  virtualPool,
} from '../../src/programs/dbc/accounts.ts';
import { curveOutput, poolOutput } from '../../src/programs/poolTerms/output.ts';
import type { AccountFact } from '../../src/rpc/types.ts';
import { withFields } from '../policy/accountFacts.ts';
import { stage } from '../policy/recorded/stages.ts';

const { BN } = anchor;
const offline = new anchor.AnchorProvider(
  new anchor.web3.Connection('http://127.0.0.1:1'),
  new anchor.Wallet(anchor.web3.Keypair.generate()),
);
const dbc = new anchor.Program(DynamicBondingCurveIdl as anchor.Idl, offline);
const damm = new anchor.Program(CpAmmIdl as anchor.Idl, offline);

const accountOf = (name: string, layout: AccountLayout): AccountFact => {
  const found = stage(name).accounts.find(
    ({ owner, data }) => typeof readAs(layout, { owner, data: Buffer.from(data, 'base64') }) !== 'string',
  );
  if (found === undefined) throw new Error(`${name} has no ${layout.kind}`);
  return found;
};
function ours<F>(layout: AccountLayout<string, F>, { owner, data }: AccountFact): F {
  const fields = readAs(layout, { owner, data: Buffer.from(data, 'base64') });
  if (typeof fields === 'string') throw new Error(fields);
  return fields;
}
const theirs = (program: typeof dbc, name: string, { data }: AccountFact) =>
  program.coder.accounts.decode(name, Buffer.from(data, 'base64'));

const AMOUNTS = [10_000_000n, 123_456_789n, 3_000_000_000n];
const POINT = 2_000n;
const now = { slot: POINT, seconds: POINT };

const dynamic = {
  initialized: 1,
  padding: Buffer.alloc(7),
  maxVolatilityAccumulator: 14_460_000,
  variableFeeControl: 2_000,
  binStep: 1,
  filterPeriod: 10,
  decayPeriod: 120,
  reductionFactor: 5_000,
  padding2: Buffer.alloc(8),
  binStepU128: 1_844_674_407_370_955n,
};

describe('a curve', () => {
  const pool = withFields(virtualPool, accountOf('swap on a curve', virtualPool), () => ({
    activationPoint: 1_000n,
  }));
  const config = accountOf('swap on a curve', poolConfig);

  function compare(
    changePool: (was: VirtualPool) => Partial<VirtualPool>,
    changeConfig: (was: PoolConfig) => Partial<PoolConfig>,
  ) {
    const [onePool, oneConfig] = [
      withFields(virtualPool, pool, changePool),
      withFields(poolConfig, config, changeConfig),
    ];
    const [state, terms] = [ours(virtualPool, onePool), ours(poolConfig, oneConfig)];
    const outputs: bigint[] = [];
    for (const isSale of [false, true]) {
      for (const amountIn of AMOUNTS) {
        const [input, output] = isSale
          ? [state.baseMint, terms.quoteMint]
          : [terms.quoteMint, state.baseMint];
        const quoted = swapQuote(
          theirs(dbc, 'virtualPool', onePool),
          theirs(dbc, 'poolConfig', oneConfig),
          isSale,
          new BN(`${amountIn}`),
          0,
          false,
          new BN(`${POINT}`),
          false,
        );
        const found = curveOutput(state, terms, { input, output, amountIn }, now);
        expect([amountIn, found]).toEqual([amountIn, nearTo(BigInt(quoted.outputAmount.toString()))]);
        outputs.push(found ?? 0n);
      }
    }
    return outputs;
  }

  const base = (change: Partial<PoolConfig['poolFees']['baseFee']>) => (was: PoolConfig) => ({
    poolFees: { ...was.poolFees, baseFee: { ...was.poolFees.baseFee, ...change } },
  });
  const falling = { cliffFeeNumerator: 200_000_000n, firstFactor: 20, secondFactor: 100n };
  const none = () => ({});

  it('quotes the same as the public client for each fee mode and side', () => {
    const flat = compare(none, none);
    const linear = compare(none, base({ ...falling, thirdFactor: 5_000_000n, baseFeeMode: 0 }));
    const ended = compare(
      none,
      base({ ...falling, firstFactor: 3, thirdFactor: 5_000_000n, baseFeeMode: 0 }),
    );
    const exponential = compare(none, base({ ...falling, thirdFactor: 500n, baseFeeMode: 1 }));
    const onOutput = compare(none, () => ({ collectFeeMode: 1 }));
    expect(new Set([flat, linear, ended, exponential, onOutput].map(String)).size).toBe(5);
  });

  it('pays out less while a dynamic fee is active and the price has moved', () => {
    const moving = (was: PoolConfig) => ({ poolFees: { ...was.poolFees, dynamicFee: dynamic } });
    const tracker = (volatilityAccumulator: bigint) => (was: VirtualPool) => ({
      volatilityTracker: { ...was.volatilityTracker, volatilityAccumulator },
    });
    const [calm, moved, wild] = [0n, 5_000_000n, 14_460_000n].map((each) => compare(tracker(each), moving));
    expect(moved?.[2]).toBeLessThan(Number(calm?.[2]));
    expect(wild?.[2]).toBeLessThan(Number(moved?.[2]));
  });

  it("crosses the curve's points in both directions", () => {
    const points = (was: PoolConfig) => {
      const { sqrtPrice } = ours(virtualPool, pool);
      const [first] = was.curve;
      const liquidity = first?.liquidity ?? 0n;
      const steps = [1_001n, 1_002n, 1_003n, 4_000n].map((step, i) => ({
        sqrtPrice: (sqrtPrice * step) / 1_000n,
        liquidity: liquidity / BigInt(i + 1),
      }));
      const low = { sqrtPrice: (sqrtPrice * 999n) / 1_000n, liquidity };
      const curve = [low, ...steps, ...was.curve].slice(0, was.curve.length);
      const rest = curve.map((each, i) => (i < 5 ? each : { sqrtPrice: 0n, liquidity: 0n }));
      return { curve: rest, sqrtStartPrice: sqrtPrice / 2n, migrationSqrtPrice: sqrtPrice * 4n };
    };
    compare(none, points);
  });

  it('has no price if complete or migrated, before trading, for another pair or an unknown fee', () => {
    const [state, terms] = [ours(virtualPool, pool), ours(poolConfig, config)];
    const trade = { input: terms.quoteMint, output: state.baseMint, amountIn: 1_000n };
    expect(curveOutput(state, terms, trade, now)).toBeGreaterThan(0n);
    expect(curveOutput({ ...state, isMigrated: 1 }, terms, trade, now)).toBeUndefined();
    expect(curveOutput({ ...state, sqrtPrice: terms.migrationSqrtPrice }, terms, trade, now)).toBeUndefined();
    expect(curveOutput({ ...state, activationPoint: POINT + 1n }, terms, trade, now)).toBeUndefined();
    expect(curveOutput(state, terms, { ...trade, input: state.config }, now)).toBeUndefined();
    const { poolFees } = { ...terms, ...base({ baseFeeMode: 2 })(terms) };
    expect(curveOutput(state, { ...terms, poolFees }, trade, now)).toBeUndefined();
    expect(curveOutput(state, { ...terms, curve: [] }, trade, now)).toBeUndefined();
  });

  it('pays out what its points sell if they do not take everything', () => {
    const [state, terms] = [ours(virtualPool, pool), ours(poolConfig, config)];
    const trade = { input: terms.quoteMint, output: state.baseMint };
    const whole = curveOutput(state, terms, { ...trade, amountIn: 10n ** 24n }, now);
    expect(whole).toBeGreaterThan(0n);
    expect(curveOutput(state, terms, { ...trade, amountIn: 10n ** 25n }, now)).toBe(whole);
  });
});

describe('a pool', () => {
  const account = withFields(poolLayout, accountOf('swap of SOL', poolLayout), () => ({
    activationPoint: 1_000n,
  }));

  function compare(change: (was: Pool) => Partial<Pool>) {
    const one = withFields(poolLayout, account, change);
    const state = ours(poolLayout, one);
    const outputs: bigint[] = [];
    for (const aToB of [false, true]) {
      for (const amountIn of AMOUNTS) {
        const [input, output] = aToB
          ? [state.tokenAMint, state.tokenBMint]
          : [state.tokenBMint, state.tokenAMint];
        const quoted = swapQuoteExactInput(
          theirs(damm, 'pool', one),
          new BN(`${POINT}`),
          new BN(`${amountIn}`),
          0,
          aToB,
          false,
          6,
          9,
        );
        const found = poolOutput(state, { input, output, amountIn }, now);
        expect([amountIn, found]).toEqual([amountIn, nearTo(BigInt(quoted.outputAmount.toString()))]);
        outputs.push(found ?? 0n);
      }
    }
    return outputs;
  }

  const fees = (data: Uint8Array) => (was: Pool) => ({
    poolFees: { ...was.poolFees, baseFee: { ...was.poolFees.baseFee, baseFeeInfo: { data } } },
  });
  function scheduler(mode: number, reduction: bigint): Uint8Array {
    const data = Buffer.alloc(32);
    data.writeBigUInt64LE(200_000_000n, 0);
    data.writeUInt8(mode, 8);
    data.writeUInt16LE(20, 14);
    data.writeBigUInt64LE(100n, 16);
    data.writeBigUInt64LE(reduction, 24);
    return data;
  }

  it('quotes the same as the public client for each fee mode and side', () => {
    const flat = compare(() => ({}));
    const linear = compare(fees(scheduler(0, 5_000_000n)));
    const exponential = compare(fees(scheduler(1, 500n)));
    const both = compare(() => ({ collectFeeMode: 0 }));
    const reserves = { tokenAAmount: 10n ** 15n, tokenBAmount: 10n ** 12n };
    const compounding = compare(() => ({ collectFeeMode: 2, ...reserves }));
    const dynamicFee = {
      ...ours(poolLayout, account).poolFees.dynamicFee,
      ...dynamic,
      volatilityAccumulator: 5_000_000n,
    };
    const moving = compare((was) => ({ poolFees: { ...was.poolFees, dynamicFee } }));
    const all = [flat, linear, exponential, both, compounding, moving];
    expect(new Set(all.map(String)).size).toBe(all.length);
  });

  it('has no price if disabled, before trading, for another pair or an unknown fee', () => {
    const state = ours(poolLayout, account);
    const trade = { input: state.tokenBMint, output: state.tokenAMint, amountIn: 1_000n };
    expect(poolOutput(state, trade, now)).toBeGreaterThan(0n);
    expect(poolOutput({ ...state, poolStatus: 1 }, trade, now)).toBeUndefined();
    expect(poolOutput({ ...state, activationPoint: POINT + 1n }, trade, now)).toBeUndefined();
    expect(poolOutput(state, { ...trade, output: state.creator }, now)).toBeUndefined();
    const back = { ...trade, input: trade.output, output: trade.input };
    for (const way of [trade, back])
      expect(poolOutput({ ...state, sqrtPrice: 0n }, way, now)).toBeUndefined();
    const unknown = { ...state, ...fees(scheduler(3, 0n))(state) };
    expect(poolOutput(unknown, trade, now)).toBeUndefined();
  });
});

/** Equal except for rounding: the programs round each step of a power up or down. */
const nearTo = (quoted: bigint) => ({
  asymmetricMatch: (found: unknown) =>
    typeof found === 'bigint' && (found - quoted) ** 2n <= (quoted / 1_000_000n + 3n) ** 2n,
  toString: () => `about ${quoted}`,
});
