/** Stages whose network fee is paid by a service key, and the wallet's refund to that key. */
import type { ActOf } from '../../../../programs/acts.ts';
import { add } from '../../amounts.ts';
import type { DecisionContext } from '../../decisionContext.ts';
import type { Matched } from '../operation.ts';

/** Whether a key other than our wallets pays the network fee and has signed. */
export const isPaidByCosigner = ({ feePayer, own, slots }: DecisionContext): boolean =>
  !own.has(feePayer) && slots[0]?.status === 'valid';

/** Returns the first SOL transfer, of any amount, from the wallet to the cosigner that pays the network fee. */
export const refundIn = (c: DecisionContext): ActOf<'transfer'> | undefined =>
  isPaidByCosigner(c)
    ? c.acts.find(
        (act): act is ActOf<'transfer'> =>
          act.act === 'transfer' &&
          act.asset === 'SOL' &&
          act.from.account === c.wallet &&
          act.to.account === c.feePayer,
      )
    : undefined;

/** Returns the maximum refund in lamports. */
export const mostRefund = ({ policy }: DecisionContext): bigint =>
  BigInt(policy.transaction.maxServiceRefundLamports);

/** Adds the allowed refund to the match of a stage. */
export function withRefund(c: DecisionContext, matched: Matched): Matched {
  const refund = refundIn(c);
  if (refund === undefined || refund.amount > mostRefund(c)) return matched;
  const maxOut = new Map(matched.maxOut);
  add(maxOut, 'SOL', refund.amount);
  const paid = { asset: 'SOL', amount: `${refund.amount}` };
  return {
    ...matched,
    maxOut,
    recipients: [...matched.recipients, { address: c.feePayer, role: 'refund', paid }],
  };
}
