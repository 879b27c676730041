/** Freezes as shown to the user: the freeze of the home, and those of single principals. */
import type { Freeze, Ledger } from './types.ts';

/** Returns the global freeze or that of a principal. */
export const frozenFor = async (
  ledger: Pick<Ledger, 'rows'>,
  principal?: string,
): Promise<Freeze | undefined> =>
  (await ledger.rows('freezes', {})).find(
    (each) => each.principal === undefined || each.principal === principal,
  );

/** Returns all freezes as one: the times of the first and the newest, and every reason with its principal. */
export async function allFrozen(
  ledger: Pick<Ledger, 'rows'>,
): Promise<{ readonly since: number; readonly newest: number; readonly reason: string } | undefined> {
  const freezes = await ledger.rows('freezes', {});
  const [first] = freezes;
  if (first === undefined) return undefined;
  return {
    since: Math.min(...freezes.map(({ since }) => since)),
    newest: Math.max(...freezes.map(({ since }) => since)),
    reason: freezes.map(freezeWords).join(' '),
  };
}

/** Returns the reason and the frozen principal. */
export const freezeWords = ({ reason, principal }: Freeze): string =>
  principal === undefined ? reason : `For the principal ${principal}: ${reason}`;

/** Returns the name of the ledger note that stores the owner's signed statement lifting a freeze. */
export const unfrozenNote = (principal: string | undefined): string =>
  principal === undefined ? 'unfrozen' : `unfrozen ${principal}`;
