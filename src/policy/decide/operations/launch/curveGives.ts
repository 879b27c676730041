/**
 * What the terms of a curve give away beside the fee, the threshold and the supply that are published of each launch
 * configuration: the rest of the supply, liquidity, fees, rights over the token (T63). One reading for the config, where
 * the terms are arguments, for the launch, where they are an account, and for a question, where they are JSON text.
 */

import { asRecord } from '../../../../base/record.ts';
import { once } from '../../../../base/remember.ts';
import { decimal, percent, SOL_DECIMALS } from '../../../../base/words.ts';
import type { Address } from '../../../../transaction/types.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Terms of a curve, with the two keys that stand beside them. */
export interface CurveTerms {
  readonly terms: Fields;
  readonly leftoverReceiver: Address;
  readonly feeClaimer: Address;
}

/**
 * Most of the supply that may be left over without a question, in basis points: a curve keeps a quarter of what it sells
 * in reserve, which is less than this of the whole.
 */
export const MOST_LEFT_BPS = 2_500n;

const ALL_BPS = 10_000n;

/** From this number on the program lets a key make more of the token: its creator, or the one who earns the fees. */
const FIRST_WITH_MINTING = 3n;
/** No key may change the token. */
export const NO_UPDATE = 1n;
/** Fees that only fall with time; other modes take more of larger trades. */
const FALLING_MODES = 1n;

/** Who may change the token, and make more of it, by the number of the program's public interface. */
export const updateAuthorityOf = ({ tokenUpdateAuthority }: Fields): bigint => numberOf(tokenUpdateAuthority);

/** Whether some key may make more of the token after its launch. */
export const mayMintMore = (terms: Fields): boolean => updateAuthorityOf(terms) >= FIRST_WITH_MINTING;

/** Everything in the terms that is not neutral, a plain sentence each. */
export const curveGives = once((terms: Fields): readonly string[] => {
  const fees = asRecord(terms.poolFees);
  const migration = asRecord(terms.migrationFee);
  const paidOut = numberOf(migration.feePercentage ?? terms.migrationFeePercentage);
  const held = asRecord(terms.lockedVesting ?? terms.lockedVestingConfig);
  const creation = numberOf(terms.poolCreationFee);
  const left = leftoverBps(terms);
  const parts: readonly (readonly [unknown, (percent: bigint) => string])[] = [
    [terms.partnerLiquidityPercentage, (p) => `The fee earner can take ${p}% of the pool's liquidity out.`],
    [terms.creatorLiquidityPercentage, (p) => `The pool's creator can take ${p}% of its liquidity out.`],
    [
      asRecord(terms.partnerLiquidityVestingInfo).vestingPercentage,
      (p) => `The fee earner can take ${p}% of the pool's liquidity out as time passes.`,
    ],
    [
      asRecord(terms.creatorLiquidityVestingInfo).vestingPercentage,
      (p) => `The pool's creator can take ${p}% of its liquidity out as time passes.`,
    ],
    [
      terms.creatorPermanentLockedLiquidityPercentage,
      (p) => `Once the curve is full, ${p}% of the fees go to the pool's creator and not to those who share.`,
    ],
    [
      terms.creatorTradingFeePercentage,
      (p) => `Of the curve's fees ${p}% go to the pool's creator and not to those who share.`,
    ],
    [
      paidOut,
      (p) => `Once the curve is full, ${p}% of what it took is paid out and does not go into the pool.`,
    ],
  ];
  return [
    ...(left !== undefined && left > MOST_LEFT_BPS
      ? [`About ${percent(Number(left))} of the supply is never sold by the curve.`]
      : []),
    ...parts.flatMap(([part, says]) => (numberOf(part) > 0n ? [says(numberOf(part))] : [])),
    ...(numberOf(held.amountPerPeriod) > 0n || numberOf(held.cliffUnlockAmount) > 0n
      ? ['A part of the supply is held back and paid out as time passes.']
      : []),
    ...rightsOver(terms),
    ...(numberOf(asRecord(fees.baseFee).baseFeeMode) > FALLING_MODES
      ? ['The fee of a trade can rise above the first one.']
      : []),
    ...(isMoving(fees.dynamicFee) ? ['The fee of a trade rises while the price moves fast.'] : []),
    ...(creation > 0n
      ? [`Opening the pool costs ${decimal(creation, SOL_DECIMALS)} SOL more, which do not come back.`]
      : []),
  ];
});

function rightsOver(terms: Fields): readonly string[] {
  const rights = updateAuthorityOf(terms);
  if (rights === NO_UPDATE) return [];
  const who = rights === 0n || rights === FIRST_WITH_MINTING ? "The pool's creator" : 'The fee earner';
  const what = mayMintMore(terms) ? 'make more of the token, and change its name' : "change the token's name";
  return [`${who} can ${what}, at any time.`];
}

/** Arguments leave the moving fee out where there is none; an account says by a flag. */
const isMoving = (dynamicFee: unknown): boolean =>
  dynamicFee !== undefined && dynamicFee !== null && asRecord(dynamicFee).initialized !== 0;

/**
 * What no buyer gets of the supply and no pool, in basis points of the supply that stands afterwards. Absent where the
 * terms fix no supply: then the program makes no more than the curve and its reserve need.
 */
export function leftoverBps(terms: Fields): bigint | undefined {
  const fixed = asRecord(terms.tokenSupply);
  const before = numberOf(fixed.preMigrationTokenSupply ?? terms.preMigrationTokenSupply);
  const after = numberOf(fixed.postMigrationTokenSupply ?? terms.postMigrationTokenSupply);
  if (before === 0n || after === 0n) return undefined;
  const held = asRecord(terms.lockedVesting ?? terms.lockedVestingConfig);
  const vested =
    numberOf(held.cliffUnlockAmount) + numberOf(held.amountPerPeriod) * numberOf(held.numberOfPeriod);
  const burnt = before > after ? before - after : 0n;
  const left = before - soldAndPooled(terms) - vested - burnt;
  return left <= 0n ? 0n : (left * ALL_BPS) / after;
}

/** Base units sold until the curve is full, and put into the pool then. Prices are square roots, in units of 2^-64. */
function soldAndPooled(terms: Fields): bigint {
  const threshold = numberOf(terms.migrationQuoteThreshold);
  let price = numberOf(terms.sqrtStartPrice);
  let [rest, sold] = [threshold, 0n];
  for (const point of Array.isArray(terms.curve) ? terms.curve : []) {
    const [top, liquidity] = [numberOf(asRecord(point).sqrtPrice), numberOf(asRecord(point).liquidity)];
    if (rest === 0n || price === 0n || liquidity === 0n || top <= price) break;
    const takes = (liquidity * (top - price)) >> 128n;
    const next = takes < rest ? top : price + (rest << 128n) / liquidity;
    sold += (liquidity * (next - price)) / (price * next);
    rest -= takes < rest ? takes : rest;
    price = next;
  }
  const paidOut = numberOf(asRecord(terms.migrationFee).feePercentage ?? terms.migrationFeePercentage);
  const pooled = (threshold * (100n - (paidOut > 100n ? 100n : paidOut))) / 100n;
  return price === 0n ? sold : sold + (pooled << 128n) / (price * price);
}

/** A number of the terms: as it was read, or as JSON text. */
export const numberOf = (value: unknown): bigint =>
  typeof value === 'bigint' || typeof value === 'number'
    ? BigInt(value)
    : typeof value === 'string' && /^[0-9]{1,39}$/.test(value)
      ? BigInt(value)
      : 0n;
