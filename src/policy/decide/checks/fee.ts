/** The network fee of a transaction: v1 states it in the message, the other formats in instructions (T21, T22, T52). */

import { amountOfAsset } from '../../../base/format.ts';
import type { TransactionFee } from '../../../programs/solana/fee.ts';
import { TransactionError } from '../../../transaction/errors.ts';
import type { Policy } from '../../file/schema.ts';
import type { Checklist } from '../checklist.ts';

/** Checks the fee and returns it, or `undefined` if it cannot be computed. Sponsored fees are checked too: the sponsor may ask for a refund. */
export function checkFee(
  fee: TransactionFee | TransactionError,
  policy: Policy,
  list: Checklist,
): TransactionFee | undefined {
  if (fee instanceof TransactionError) {
    list.fail(fee.code, 'feeKnown', { observed: fee.message });
    return undefined;
  }
  const { maxFeeLamports, maxComputeUnits } = policy.transaction;
  list.expect(fee.total <= BigInt(maxFeeLamports), 'FEE_OVER', 'feeWithinPolicy', {
    observed: amountOfAsset(fee.total, 'SOL'),
    allowed: amountOfAsset(BigInt(maxFeeLamports), 'SOL'),
  });
  list.expect(fee.computeUnitLimit <= maxComputeUnits, 'FEE_OVER', 'computeWithinPolicy', {
    observed: `${fee.computeUnitLimit} units`,
    allowed: `${maxComputeUnits} units`,
  });
  return fee;
}
