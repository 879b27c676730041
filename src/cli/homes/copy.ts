/**
 * The ledger in a backup. A copy is a whole ledger in one file. A copy of a ledger that goes on being used is retired from
 * the start, so that nothing is ever signed under it as it is; when a home is moved it is the other way round: the ledger
 * that stays is retired first, and the copy goes on (T80).
 */
import { chmodSync, existsSync } from 'node:fs';
import type { Clock } from '../../clock.ts';
import { readMoved, writeMoved } from '../../ledger/backup/movedFile.ts';
import { setRetired } from '../../ledger/backup/retire.ts';
import { RETIRED } from '../../ledger/books.ts';
import { checkpointFile } from '../../ledger/checkpoint/checkpointFile.ts';
import type { LedgerIdentity, Retired } from '../../ledger/database.ts';
import { LedgerError } from '../../ledger/errors.ts';
import { ledgerFile } from '../../ledger/ledgerFile.ts';
import { openDatabase } from '../../ledger/sqlite/database.ts';

export interface CopyOptions {
  readonly clock: Clock;
  readonly place: string;
  readonly moved: boolean;
  /** Whether the home has a secret store, so that it may sign for real, if only later. */
  readonly live: boolean;
}

/**
 * Copies the ledger of a home, with all that is committed, into a new file (mode 0600). `moved`: the copy goes on, and the
 * home's own ledger was retired before. Returns what the copy is.
 */
export async function copyLedger(
  home: string,
  to: string,
  { clock, place, moved, live }: CopyOptions,
): Promise<LedgerIdentity | undefined> {
  const source = await openDatabase(ledgerFile(home), clock);
  try {
    if (moved && (await source.identity())?.retired?.why !== 'moved') {
      throw new LedgerError('STATE_CONFLICT', 'The ledger of this home was not retired.');
    }
    await source.all(`VACUUM INTO '${to.replaceAll("'", "''")}'`);
  } finally {
    await source.close();
  }
  chmodSync(to, 0o600);
  const copy = await openDatabase(to, clock);
  try {
    await copy.write(async (copy, at) => {
      await copy.run('DELETE FROM leases');
      if (moved) await copy.run('DELETE FROM meta WHERE key = ?', RETIRED);
      // A home with neither a checkpoint nor a secret store is a sandbox's: nothing can be spent twice under its ledger.
      else if (live || existsSync(checkpointFile(home)))
        await setRetired(copy, { why: 'from_backup', at, place });
    });
    await copy.all('PRAGMA journal_mode = DELETE');
    return await copy.identity();
  } finally {
    await copy.close();
  }
}

/** Notes in a moved home that its backup is whole: from now on the move is not continued, and no second copy is made. */
export async function finishMove(home: string, clock: Clock): Promise<void> {
  const db = await openDatabase(ledgerFile(home), clock);
  try {
    const retired = (await db.identity())?.retired;
    if (retired === undefined) return;
    const done: Retired = { ...retired, done: true };
    await db.write(async (db) => void (await setRetired(db, done)));
    writeMoved(home, done);
  } finally {
    await db.close();
  }
}

/** Why nothing is signed in a home any more, if that is so: as its ledger says, and as its note of a move does. */
export async function retiredOf(home: string, clock: Clock): Promise<Retired | undefined> {
  const moved = readMoved(home);
  if (moved !== undefined || !existsSync(ledgerFile(home))) return moved;
  const db = await openDatabase(ledgerFile(home), clock, 'read');
  try {
    return (await db.identity())?.retired;
  } finally {
    await db.close();
  }
}
