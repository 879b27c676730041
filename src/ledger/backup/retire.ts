/** A ledger that is retired: nothing is ever signed under it again (T80). */
import { RETIRED } from '../books.ts';
import type { Database, Retired } from '../database.ts';
import { LedgerError } from '../errors.ts';
import { readJournal } from '../sqlite/journal.ts';

/** Retires a ledger because its home moves. Returns what it wrote. */
export async function retire(db: Database, place: string): Promise<Retired> {
  return db.write(async (db, at) => {
    const open = (await readJournal(db, { open: true })).length;
    if (open > 0) {
      throw new LedgerError(
        'STATE_CONFLICT',
        'Something that was signed may still land, and would be in the wrong home.',
        'Let a server finish it (`countersign plans` shows what it is), then run this again.',
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

/** Notes that a ledger is retired. Inside a write. */
export const setRetired = async (db: Database, retired: Retired): Promise<number> =>
  await db.run(
    'INSERT INTO meta VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value',
    RETIRED,
    JSON.stringify(retired),
  );
