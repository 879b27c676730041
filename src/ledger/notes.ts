/** Notes: small values of a home, by key. */
import type { Ledger } from './types.ts';

/** Returns the value of a note; `undefined` if there is none. */
export const noteOf = async (ledger: Pick<Ledger, 'rows'>, key: string): Promise<string | undefined> =>
  (await ledger.rows('notes', { key }))[0]?.value;

/** The note that a health probe writes: rejects with `LEDGER_UNHEALTHY` on a full disk, `LEDGER_CORRUPT` on a damaged file. */
export const PROBE = 'probe';

/** The note of a cancelled plan: nothing more of it is signed, whatever its value. */
export const cancelledNote = (planId: string): string => `cancelled:${planId}`;
