/** Payments that ask the owner: payments to unnamed keys, and unusually high network fees. */
import { amountOfAsset } from '../../../../base/format.ts';
import type { Asset } from '../../../../programs/acts.ts';
import type { TransactionFee } from '../../../../programs/computeBudget/fee.ts';
import { isJitoTip } from '../../../../programs/jito.ts';
import type { Address } from '../../../../transaction/types.ts';
import type { Checklist } from '../../checklist.ts';
import type { DecisionContext } from '../../decisionContext.ts';
import { isLocalChain } from '../../unsupported/entries.ts';

/** A payment or deposit whose recipient is not in the request, in base units. */
export interface UnnamedPayment {
  readonly why: 'unnamedTip' | 'unnamedServiceFee' | 'unnamedTracking' | 'unnamedAccount';
  readonly to: Address;
  readonly asset: Asset;
  readonly amount: bigint;
}

/** Whether a payee is ours, in the profile or in the address book; true on a local chain whose profile has no such label. */
export function isNamedPayee(
  { inputs, own, policy }: Pick<DecisionContext, 'inputs' | 'own' | 'policy'>,
  label: 'treasury' | 'tracking',
  payee: Address,
): boolean {
  const known = inputs.serviceAddresses.filter((each) => each.label === label);
  if (known.length === 0 && isLocalChain(inputs)) return true;
  return [...known, ...policy.addressBook].some(({ address }) => address === payee) || own.has(payee);
}

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
