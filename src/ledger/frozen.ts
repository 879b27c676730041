/** Freezes as shown to the user: the freeze of the home, and those of single principals. */
import type { Freeze, Ledger } from './types.ts';

/** The freeze of all, or else that of a principal. Nothing is signed under either. */
export const frozenFor = async (
  ledger: Pick<Ledger, 'rows'>,
  principal?: string,
): Promise<Freeze | undefined> =>
  (await ledger.rows('freezes', {})).find(
    (each) => each.principal === undefined || each.principal === principal,
  );

/** All that is frozen as one: since when at the earliest, and every reason with the principal it is about. */
export async function allFrozen(ledger: Pick<Ledger, 'rows'>): Promise<Freeze | undefined> {
  const freezes = await ledger.rows('freezes', {});
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
