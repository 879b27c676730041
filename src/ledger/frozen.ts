/** Freezes as shown to the user: the freeze of the home, and those of single principals. */
import type { Freeze, Ledger } from './types.ts';

/** The freeze that stops a plan, if one does. */
export async function frozenFor(
  ledger: Pick<Ledger, 'frozen' | 'principalOf'>,
  planId: string,
): Promise<Freeze | undefined> {
  const ofAll = await ledger.frozen();
  if (ofAll !== undefined) return ofAll;
  const principal = await ledger.principalOf(planId);
  return principal === undefined ? undefined : ledger.frozen(principal);
}

/** All that is frozen as one: since when at the earliest, and every reason with the principal it is about. */
export async function allFrozen(ledger: Pick<Ledger, 'freezes'>): Promise<Freeze | undefined> {
  const freezes = await ledger.freezes();
  const [first] = freezes;
  if (first === undefined) return undefined;
  return {
    since: Math.min(...freezes.map(({ since }) => since)),
    reason: freezes.map(freezeWords).join(' '),
  };
}

/** The reason, and whose plans are not signed. */
export const freezeWords = ({ reason, principal }: Freeze): string =>
  principal === undefined ? reason : `For the principal ${principal}: ${reason}`;

/** The note of the ledger that keeps who lifted a freeze. */
export const unfrozenNote = (principal: string | undefined): string =>
  principal === undefined ? 'unfrozen' : `unfrozen ${principal}`;
