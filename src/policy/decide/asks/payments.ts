/** Payments that ask the owner: payments to unnamed keys, and unusually high network fees. */
import { amountOfAsset } from '../../../base/format.ts';
import type { TransactionFee } from '../../../programs/solana/fee.ts';
import { isJitoTip } from '../../../programs/solana/system.ts';
import type { Checklist } from '../checklist.ts';
import type { DecisionContext } from '../decisionContext.ts';
import type { UnnamedPayment } from '../operations/trade/payees.ts';

/** Usual priority fee in lamports: in 181 recorded transactions, the 75th percentile is 9,000. */
const USUAL_PRIORITY_LAMPORTS = 100_000n;
/** A fee above this multiple of the base fee plus the usual priority fee asks. */
const MAX_USUAL_FEES = 4n;

/** Asks about payments to unnamed keys and about an unusual network fee. */
export function askAboutPayments(
  c: DecisionContext,
  unnamed: readonly UnnamedPayment[],
  list: Checklist,
): void {
  for (const { why, to, asset, amount } of unnamed) {
    const paid = amountOfAsset(amount, asset);
    if (isJitoTip(to)) list.ask('PAYEE_UNKNOWN', why, { observed: `${paid} to ${to}` });
    else list.ask('PAYEE_UNKNOWN', why, { params: { payee: to }, observed: paid });
  }
  const most = usualFee(c.fee);
  if (c.own.has(c.feePayer) && c.fee.total > most)
    list.ask('NETWORK_FEE_HIGH', 'networkFee', {
      params: { times: Number(MAX_USUAL_FEES) },
      observed: amountOfAsset(c.fee.total, 'SOL'),
      allowed: amountOfAsset(most, 'SOL'),
    });
}

const usualFee = ({ base }: TransactionFee): bigint => MAX_USUAL_FEES * (base + USUAL_PRIORITY_LAMPORTS);
