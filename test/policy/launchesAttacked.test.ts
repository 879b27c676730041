/** Launches in the encodings of the real programs: terms of a pool or a curve that give something away. */

import * as anchor from '@coral-xyz/anchor';
import { encodeFeeRateLimiterParams, encodeFeeTimeSchedulerParams } from '@meteora-ag/cp-amm-sdk';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { altered, type ReadOf, rewrite } from '../../sandbox/attacks/service/drafts.ts';
import { DBC_PROGRAM } from '../../sandbox/programs/addresses.ts';
import { createCurveConfig } from '../../sandbox/programs/dbc.ts';
import { feeShareAuthority, inSol } from '../../sandbox/programs/feeShare.ts';
import { curveTerms } from '../../sandbox/service/build/curveTerms.ts';
import type { DecisionInputs } from '../../src/policy/decide/types.ts';
import { TOKEN_PROGRAM, WSOL_MINT } from '../../src/transaction/programs.ts';
import { LEAST, launchedBy } from './oneThingWrong.ts';
import { keyNamed } from './people.ts';
import {
  ALLOWED,
  attacker,
  type Change,
  edited,
  RealWorld,
  type Subject,
  short,
  u64,
  withBytes,
} from './realOperations.ts';
import { decide, rewritten, stage } from './recorded/stages.ts';

let real: RealWorld;
beforeAll(async () => {
  real = await RealWorld.start('launches attacked');
});
afterAll(() => real.close());

describe('the pool of a launch', () => {
  let pool: Subject;
  beforeAll(async () => {
    pool = await real.poolLaunch('launch-2', '100000000');
  });

  /** Decides on a changed stage that opens the pool. */
  const opened = async (change: Change): Promise<string> => (await real.reasonsOf(pool, [change])).join();

  test('a stranger who opens the pool and holds half of its locked liquidity asks by name and share (T185)', async () => {
    const stranger: Change = (draft) => {
      const made = rewrite(draft, OPEN, (found) => [
        altered(found, { accounts: { creator: attacker.address } }),
      ]);
      const locked = rewrite(made, 'dammV2.permanentLockPosition', (found, nth) =>
        nth === 0 ? [altered(found, { accounts: { signer: attacker.address } })] : undefined,
      );
      return { ...locked, signers: [...locked.signers, attacker] };
    };
    expect(await opened(stranger)).toMatch(
      new RegExp(`PARTY_UNKNOWN[^:]*: ${attacker.address} with (50|49\\.9\\d*)%`),
    );
    expect(await opened((draft) => draft)).not.toMatch(/PARTY_UNKNOWN|TERM_/);
  });

  test.each<[string, (args: OpenArgs) => object, RegExp]>([
    ['a fee of 0.01%', (args) => feeAt(args, 0, 100_000n), /poolFee: 0\.01% \| 2%/],
    ['fees in both tokens', () => ({ collectFeeMode: 0 }), /poolFeeAsset: both tokens \| the quote/],
    [
      'a price that can only rise fourfold',
      ({ sqrtPrice }) => ({ sqrtMaxPrice: sqrtPrice * 2n }),
      /highestPrice/,
    ],
    [
      'a fee that falls',
      ({ poolFees }) => ({
        poolFees: {
          ...poolFees,
          baseFee: { data: encodeFeeTimeSchedulerParams(bn(20_000_000), 1, bn(1), bn(19_000_000), 0) },
        },
      }),
      /poolFee: 2% \(0\.1% to 2% later, the lowest after [\d,]+ seconds or slots\)/,
    ],
    [
      'a fee that rises with the size of a trade',
      ({ poolFees }) => ({
        poolFees: {
          ...poolFees,
          baseFee: { data: encodeFeeRateLimiterParams(bn(20_000_000), 100, 600, 5_000, bn(1_000)) },
        },
      }),
      /poolFee: 2% \(2% to 50% later\)/,
    ],
    [
      'a fee that follows volatility',
      ({ poolFees }) => ({ poolFees: { ...poolFees, dynamicFee: MOVING } }),
      /poolFee: 2% \(2% to 99% later\)/,
    ],
    [
      'an opening price of a millionth',
      ({ sqrtPrice, sqrtMinPrice }) => ({
        sqrtPrice: sqrtPrice / 1_000n,
        sqrtMinPrice: sqrtMinPrice / 1_000n,
      }),
      /TERM_DIFFERS openingPrice: [0-9.]+ SOL \| at least 1 SOL/,
    ],
    ['a fee of another mode', (args) => feeAt(args, 19, 9n << 56n), /TERM_UNKNOWN/],
  ])('%s of the pool asks, with both values (T185)', async (_, change, says) => {
    const altering: Change = (draft) =>
      rewrite(draft, OPEN, (found) => [altered(found, { args: change(found.args) })]);
    expect(await opened(altering)).toMatch(says);
  });
});

test('a token of half the supply asks before it is created, with both amounts (T185)', () => {
  const token = stage('direct launch, token');
  const halved = rewritten(token, (list) =>
    list.map((one) =>
      one.programAddress === TOKEN_PROGRAM && one.data[0] === MINT_TO
        ? { ...one, data: Uint8Array.from([MINT_TO, ...u64(500_000_000_000_000n)]) }
        : one,
    ),
  );
  const differing = (inputs: DecisionInputs) =>
    decide(inputs)
      .checks.filter(({ code }) => code === 'TERM_DIFFERS')
      .map(({ observed, allowed }) => [observed, allowed]);
  expect(differing(token)).toEqual([]);
  expect(differing(halved)).toEqual([['500,000,000 tokens', '1,000,000,000 tokens']]);
});

const MINT_TO = 7;
const OPEN = 'dammV2.initializeCustomizablePool';
type OpenArgs = ReadOf<typeof OPEN>['args'];
const bn = (value: number) => new anchor.BN(value);
const MOVING = {
  ...{ binStep: 100, binStepU128: 1n, filterPeriod: 10, decayPeriod: 120, reductionFactor: 5_000 },
  ...{ maxVolatilityAccumulator: 14_460_000, variableFeeControl: 95_600 },
};
const feeAt = ({ poolFees }: OpenArgs, offset: number, value: bigint) => {
  const data = Buffer.from(poolFees.baseFee.data);
  data.writeBigUInt64LE(value, offset);
  return { poolFees: { ...poolFees, baseFee: { data } } };
};

describe('the curve of a launch', () => {
  let launch: Subject;
  beforeAll(async () => {
    const token = await real.onCurve();
    launch = real.curveLaunch(token);
  });

  /** Terms at their own key, with the attacker's changes. */
  function terms(name: string, feeClaimer: string, change: (terms: ReturnType<typeof curveTerms>) => object) {
    const key = keyNamed(name);
    const made = curveTerms('', 85_000_000_000n, false);
    const accounts = {
      config: key.address,
      feeClaimer,
      leftoverReceiver: attacker.address,
      quoteMint: WSOL_MINT,
      payer: attacker.address,
    };
    real.lands(attacker, [createCurveConfig(accounts, { ...made, ...change(made) })], [key]);
    return key.address;
  }

  test('terms that pay another key are refused, even if the request names them', async () => {
    const configKey = terms('foreign terms', attacker.address, () => ({}));
    const subject = { ...launch, fields: { ...launch.fields, configKey } };
    const change = edited(DBC_PROGRAM, 0, (each) => each);
    const verdict = await hostile(subject, change, launch);
    expect(verdict).toMatch(/REQUEST_MISMATCH curveClaimer/);
  });

  test('a share of the supply is not counted by terms without a fixed supply', async () => {
    const authority = feeShareAuthority(inSol(launchedBy(launch).mint));
    const configKey = terms('terms without a supply', authority, () => ({ tokenSupply: null }));
    const subject = { ...launch, fields: { ...launch.fields, configKey } };
    const verdict = await hostile(subject, edited(DBC_PROGRAM, 1, withBytes(LEAST, u64(1n))), launch);
    expect(verdict).not.toMatch(/^allow/);
  });

  /** A plan of one request that the service built for another. */
  async function hostile(requestedSubject: Subject, change: Change, built: Subject): Promise<string> {
    const plan = await real.plan(built, change);
    const request = { ...plan.request, fields: requestedSubject.fields };
    return short(await real.world.decide({ ...plan, request }, plan.stages[0]?.id ?? ''));
  }

  test("a launch stays allowed with the wallet's account existing, and with another budget", async () => {
    const token = await real.onCurve();
    const subject = real.curveLaunch(token);
    const cheaper: Change = (draft) => ({ ...draft, budget: { ...draft.budget, computeUnits: 1_000_000 } });
    const plan = await real.plan(subject, cheaper);
    expect(short(await real.world.decide(plan, plan.stages[0]?.id ?? ''))).toBe(ALLOWED);
    const bare = { ...subject, fields: { ...subject.fields, initialBuyLamports: 0 } };
    const alone = await real.plan(bare);
    expect(short(await real.world.decide(alone, alone.stages[0]?.id ?? ''))).toBe(ALLOWED);
  });
});
