/** Terms of a DAMM v2 pool. */
import type { PoolParameters } from '../dammV2/instructions.ts';
import { type FeeNumbers, POOL_SIDES, tradeFee, Unknowns } from './fees.ts';
import type { PoolTerms } from './terms.ts';
import { digestOf } from './terms.ts';

/** Returns the terms in the arguments of a new pool. */
export function termsOfPool(args: PoolParameters): PoolTerms {
  const { poolFees, collectFeeMode, hasAlphaVault, activationPoint, ...others } = args;
  const unknowns = new Unknowns();
  const base = numbersOf(poolFees.baseFee.data);
  return {
    digest: digestOf({ poolFees, collectFeeMode, hasAlphaVault, ...others }),
    fee: unknowns.fee('feeMode', base.mode, tradeFee(base, poolFees.dynamicFee)),
    side: unknowns.name('feeAsset', POOL_SIDES, collectFeeMode),
    compoundingBps: poolFees.compoundingFeeBps,
    openingRoot: args.sqrtPrice,
    topRoot: args.sqrtMaxPrice,
    activationPoint,
    isOpenToAll: !hasAlphaVault && activationPoint === null,
    creationFee: 0n,
    unknown: unknowns.list,
  };
}

/** Decodes a base fee of 27 bytes: fee, steps, pace, change, mode. */
function numbersOf(data: Uint8Array): FeeNumbers {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  return {
    cliff: view.getBigUint64(0, true),
    steps: BigInt(view.getUint16(8, true)),
    pace: view.getBigUint64(10, true),
    change: view.getBigUint64(18, true),
    mode: view.getUint8(26),
  };
}
