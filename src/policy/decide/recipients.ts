/** Which addresses may be named, and which only look like a known one (T58; `lookalikes.ts`). */
import { once } from '../../base/remember.ts';
import type { Address } from '../../transaction/types.ts';
import type { Policy, RecipientClass } from '../file/schema.ts';
import type { Checklist } from './checklist.ts';
import type { DecisionContext } from './decisionContext.ts';
import { type KnownAddresses, knownAddresses } from './lookalikes.ts';
import type { Recipient } from './operations/operation.ts';
import type { Decision } from './types.ts';

/** An address the policy names. */
interface Named {
  readonly label: string;
  readonly own: boolean;
}

/** Wallets and address book of a policy by address. */
const namedIn = once(({ addressBook, wallets }: Policy): ReadonlyMap<Address, Named> => {
  const named = new Map<Address, Named>();
  for (const { address, label } of addressBook) named.set(address, { label, own: false });
  for (const { address, label } of wallets) named.set(address, { label, own: true });
  return named;
});

/** Recipients with the labels the policy knows them by. */
export function labelled(recipients: readonly Recipient[], policy: Policy): Decision['recipients'] {
  const named = namedIn(policy);
  return recipients.map((recipient) => {
    const { address, role, paid } = recipient;
    const label = named.get(address)?.label;
    if (label !== undefined) return { address, role, label };
    return paid === undefined ? recipient : { address, role };
  });
}

/** Whether an address is of a class (B26, B33, B38). */
export function isOfClass(policy: Policy, address: Address, allowed: RecipientClass): boolean {
  if (allowed === 'any') return true;
  const named = namedIn(policy).get(address);
  return named !== undefined && (named.own || allowed === 'addressBook');
}

const knownOf = new WeakMap<Policy, { readonly also: string; readonly known: KnownAddresses }>();

/** Addresses a person could confuse with a known one: of the policy, of this home, of the service. Indexed once. */
function knownTo(c: DecisionContext): KnownAddresses {
  const others = [...c.own, ...c.facts.serviceAddresses.map((each) => each.address)];
  const also = others.join();
  const before = knownOf.get(c.policy);
  if (before?.also === also) return before.known;
  const known = knownAddresses([...namedIn(c.policy).keys(), ...others]);
  knownOf.set(c.policy, { also, known });
  return known;
}

/** No address in the transaction or among the recipients looks like a known one without being it (T58). */
export function checkLookalikes(c: DecisionContext, recipients: readonly Recipient[], list: Checklist): void {
  const known = knownTo(c);
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
