/** Retirement of a ledger: nothing is signed under it again (T80). */
import { RETIRED, setMeta } from '../books.ts';
import type { Database, Retired } from '../database.ts';
import { LedgerError } from '../errors.ts';
import { readJournal } from '../sqlite/journal.ts';

/** Retires the ledger of a home that moves. Returns the written row. */
export async function retire(db: Database, place: string): Promise<Retired> {
  return db.write(async (db, at) => {
    const open = (await readJournal(db, { open: true })).length;
    if (open > 0) {
      throw new LedgerError(
        'STATE_CONFLICT',
        'A signed transaction may still land, and would be recorded in the wrong home.',
        'Let a server finish it (`countersign plans` shows it), then run this again.',
      );
    }
    if ((await db.get('SELECT 1 FROM leases WHERE expires_at > ?', at)) !== undefined) {
      throw new LedgerError(
        'STATE_CONFLICT',
        'A server is signing for a wallet of this home.',
        'Stop every server of this home, wait half a minute, and run this again.',
      );
    }
    const retired: Retired = { why: 'moved', at, place };
    await setRetired(db, retired);
    return retired;
  });
}

/** Marks a ledger as retired. Inside a write. */
export const setRetired = (db: Database, retired: Retired): Promise<number> =>
  setMeta(db, RETIRED, JSON.stringify(retired));
