/** Transfer fee limits of a plan. */
import type { FeeLimitText } from '../../../src/contract/claimers.ts';
import type { TokenAsset } from '../build/tokens.ts';
import { badRequest } from '../http/errors.ts';

/** Returns the requested limits, or the schedule in force by default. Throws 400 if the schedule exceeds the request. */
export function appliedFeeLimits(
  asset: TokenAsset,
  requested: readonly FeeLimitText[] | undefined,
): readonly FeeLimitText[] {
  const { mint, tokenProgram, fee } = asset;
  if (requested === undefined) {
    if (fee === undefined) return [];
    const maximumFeeRaw = fee.maximumFee.toString();
    return [{ asset: { mint, tokenProgram }, basisPoints: fee.basisPoints, maximumFeeRaw }];
  }
  for (const limit of requested) {
    if (limit.asset.mint !== mint || fee === undefined) continue;
    if (fee.basisPoints > limit.basisPoints || fee.maximumFee > BigInt(limit.maximumFeeRaw)) {
      throw badRequest('feeLimits: the transfer fee in force is above the limit');
    }
  }
  return requested;
}
