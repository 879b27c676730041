/**
 * Who may be named, and who only looks like somebody known. A person compares the first and last characters of an
 * address; so does whoever grinds one to match (T58).
 */
import type { Address } from '../transaction/types.ts';
import type { Case } from './case.ts';
import type { Checklist } from './checklist.ts';
import type { Recipient } from './profiles/profile.ts';
import type { Policy, RecipientClass } from './schema.ts';

/** Characters a person looks at, at either end. */
const LOOKED_AT = 4;

const looks = (address: Address) => `${address.slice(0, LOOKED_AT)}…${address.slice(-LOOKED_AT)}`;

/** The label of a known address: a wallet of the policy, or an entry of its address book. */
export function labelOf(policy: Policy, address: Address): string | undefined {
  return [...policy.wallets, ...policy.addressBook].find((entry) => entry.address === address)?.label;
}

/** Whether an address is of a class. */
export function isOfClass(policy: Policy, address: Address, allowed: RecipientClass): boolean {
  if (allowed === 'any') return true;
  if (policy.wallets.some((entry) => entry.address === address)) return true;
  return allowed === 'addressBook' && policy.addressBook.some((entry) => entry.address === address);
}

/** No address in the transaction or among the recipients looks like a known one without being it (T58). */
export function checkLookalikes(c: Case, recipients: readonly Recipient[], list: Checklist): void {
  const known = new Map<string, Address[]>();
  const remember = (address: Address) =>
    known.set(looks(address), [...(known.get(looks(address)) ?? []), address]);
  for (const { address } of [...c.policy.wallets, ...c.policy.addressBook]) remember(address);
  for (const { address } of c.facts.serviceAddresses) remember(address);
  for (const address of c.own) remember(address);

  const seen = new Set(recipients.map((recipient) => recipient.address));
  for (const address of c.transaction.staticAccounts) seen.add(address);
  for (const instruction of c.instructions) {
    const accounts =
      instruction.kind === 'unknown' ? instruction.accounts : Object.values(instruction.accounts);
    for (const account of accounts) if (account !== undefined) seen.add(account.address);
    for (const address of written(instruction)) seen.add(address);
  }
  for (const address of seen) {
    const alike = known.get(looks(address));
    if (alike === undefined || alike.includes(address)) continue;
    list.fail('RECIPIENT_LOOKALIKE', 'no address only looks like a known one', {
      observed: address,
      allowed: alike[0],
    });
  }
}

/** Addresses an instruction writes down instead of using them: the claimer and the admin of a config. */
function written(instruction: Case['instructions'][number]): Address[] {
  if (instruction.kind !== 'tokenMetadata.updateField') return [];
  return [instruction.args.value.split(':')[0] ?? ''].filter((text) => text.length >= 32);
}
