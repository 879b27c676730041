/** Stages whose network fee a key of the service pays, and what the wallet refunds that key. */
import type { ActOf } from '../../../../programs/acts.ts';
import { add } from '../../amounts.ts';
import type { DecisionContext } from '../../decisionContext.ts';
import type { Matched } from '../operation.ts';

/** Whether a key that is none of our wallets pays the network fee and has signed for it. */
export const isPaidByCosigner = ({ feePayer, own, slots }: DecisionContext): boolean =>
  !own.has(feePayer) && slots[0]?.status === 'valid';

/** The first transfer of SOL from the wallet to the key that pays the network fee in its place, whatever its amount. */
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

/** Most lamports of a refund. */
export const mostRefund = ({ policy }: DecisionContext): bigint =>
  BigInt(policy.transaction.maxServiceRefundLamports);

/** What a stage means for the wallet, with the refund that the policy allows it. */
export function withRefund(c: DecisionContext, matched: Matched): Matched {
  const refund = refundIn(c);
  if (refund === undefined || refund.amount > mostRefund(c)) return matched;
  const mostOut = new Map(matched.mostOut);
  add(mostOut, 'SOL', refund.amount);
  const paid = { asset: 'SOL', amount: `${refund.amount}` };
  return {
    ...matched,
    mostOut,
    recipients: [...matched.recipients, { address: c.feePayer, role: 'refund', paid }],
  };
}
