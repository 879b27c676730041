/** Recipient classes and lookalike addresses (T58; `lookalikes.ts`). */
import type { Address } from '../../transaction/types.ts';
import type { RecipientClass } from '../file/schema.ts';
import type { Checklist } from './checklist.ts';
import type { DecisionContext } from './decisionContext.ts';
import type { Recipient } from './operations/operation.ts';
import type { PolicyIndex } from './policyIndex.ts';
import type { Decision } from './types.ts';

/** Adds the policy's labels to recipients. */
export function labelled(recipients: readonly Recipient[], { named }: PolicyIndex): Decision['recipients'] {
  return recipients.map((recipient) => {
    const { address, role, paid } = recipient;
    const label = named.get(address)?.label;
    if (label !== undefined) return { address, role, label };
    return paid === undefined ? recipient : { address, role };
  });
}

/** Whether an address belongs to a recipient class (B26, B33, B38). */
export function isOfClass(index: PolicyIndex, address: Address, allowed: RecipientClass): boolean {
  if (allowed === 'any') return true;
  const named = index.named.get(address);
  return named !== undefined && (named.own || allowed === 'addressBook');
}

/** Fails for every account or recipient that resembles a known address but differs from it (T58). */
export function checkLookalikes(c: DecisionContext, recipients: readonly Recipient[], list: Checklist): void {
  const known = c.index.known([...c.own, ...c.inputs.serviceAddresses.map((each) => each.address)]);
  const found = new Map<Address, Address>();
  const look = (address: Address) => {
    const near = known.takenFor(address);
    if (near !== undefined) found.set(address, near);
  };
  for (const { address } of recipients) look(address);
  for (const { address } of c.loaded) look(address);
  for (const [observed, allowed] of found) {
    list.fail('RECIPIENT_LOOKALIKE', 'noLookalike', { observed, allowed });
  }
}
