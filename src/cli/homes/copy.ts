/**
 * Copies the ledger into a backup, as one file. A copy of a ledger that stays in use is retired from the start, so
 * that nothing is ever signed under it; for a move the home's ledger is retired first, and the copy continues (T80).
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
  /** Whether the home has a secret store, and so may sign in live mode. */
  readonly live: boolean;
}

/**
 * Copies the committed ledger of a home into a new file (mode 0600). `moved`: the copy continues, and the home's
 * ledger is already retired. Returns the copy's identity.
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
      // A home with neither a checkpoint nor a secret store is a sandbox's, whose ledger protects no money.
      else if (live || existsSync(checkpointFile(home)))
        await setRetired(copy, { why: 'from_backup', at, place });
    });
    await copy.all('PRAGMA journal_mode = DELETE');
    return await copy.identity();
  } finally {
    await copy.close();
  }
}

/** Records in a moved home that its backup is complete: the move is not continued, and no second copy is made. */
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

/** Returns why signing in a home has ended, from its note of a move or its ledger; `undefined` if it has not. */
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
