/** The transfer fee limits a plan is built under. */
import type { FeeLimitText } from '../../../src/contract/claimers.ts';
import type { TokenAsset } from '../build/tokens.ts';
import { badRequest } from '../http/errors.ts';

/** The limits a plan is built under: those asked for, or the schedule in force. Throws 400 when it is over them. */
export function appliedFeeLimits(
  asset: TokenAsset,
  asked: readonly FeeLimitText[] | undefined,
): readonly FeeLimitText[] {
  const { mint, tokenProgram, fee } = asset;
  if (asked === undefined) {
    if (fee === undefined) return [];
    const maximumFeeRaw = fee.maximumFee.toString();
    return [{ asset: { mint, tokenProgram }, basisPoints: fee.basisPoints, maximumFeeRaw }];
  }
  for (const limit of asked) {
    if (limit.asset.mint !== mint || fee === undefined) continue;
    if (fee.basisPoints > limit.basisPoints || fee.maximumFee > BigInt(limit.maximumFeeRaw)) {
      throw badRequest('feeLimits: the transfer fee in force is above the limit');
    }
  }
  return asked;
}
