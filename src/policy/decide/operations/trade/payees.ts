/** Payees of a trade: keys that the profile or the address book names, and payments to other keys. */
import type { Asset } from '../../../../programs/acts.ts';
import type { Address } from '../../../../transaction/types.ts';
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
