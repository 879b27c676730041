/**
 * Replaces a lost ledger (T80). Amounts spent under the old one are unknown: every limit counts as used until its
 * window has passed since the acceptance. The new ledger is written aside completely before anything is moved; its
 * checkpoint is replaced last, so that an interruption leaves a home that signs nothing.
 */
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../../clock.ts';
import { noteAcceptance } from '../../../ledger/accept/exhausted.ts';
import type { CheckpointKeeper } from '../../../ledger/checkpoint/checkpointFile.ts';
import { checkpointFile, replaceCheckpoint } from '../../../ledger/checkpoint/checkpointFile.ts';
import type { LedgerIdentity } from '../../../ledger/database.ts';
import { ledgerFile } from '../../../ledger/ledgerFile.ts';
import { openDatabase } from '../../../ledger/sqlite/database.ts';
import { freeze } from '../../../ledger/sqlite/state.ts';

/** Folder of the new ledger until it is put in place. */
const NEXT = 'next-ledger';
/**
 * Writes the new ledger aside. `frozen`: the reason of a freeze in the remains of the old ledger. `accept` receives
 * the new ledger's identity and returns the owner key's statement about it.
 */
export async function buildLedger(
  home: string,
  clock: Clock,
  frozen: string | undefined,
  accept: (ledger: string, time: number) => Promise<string>,
): Promise<LedgerIdentity> {
  const folder = join(home, NEXT);
  rmSync(folder, { recursive: true, force: true });
  const db = await openDatabase(join(folder, 'ledger.db'), clock);
  try {
    const ledger = (await db.identity())?.ledger ?? '';
    const statement = await accept(ledger, await db.time());
    await db.write(async (db) => {
      if (frozen !== undefined) await freeze(db, frozen);
      await noteAcceptance(db, statement);
    });
    // A single file without a log beside it can be moved as a whole.
    await db.all('PRAGMA journal_mode = DELETE');
    return (await db.identity()) ?? { ledger, count: 0 };
  } finally {
    await db.close();
  }
}

/** Moves the remains of the old ledger aside and puts the new one in place. Returns the path of the old one. */
export async function placeLedger(
  home: string,
  { ledger, count }: LedgerIdentity,
  keeper: CheckpointKeeper,
  now: number,
): Promise<string> {
  const aside = join(
    home,
    'archive',
    `lost-${new Date(now).toISOString().slice(0, 10)}-${randomBytes(3).toString('hex')}`,
  );
  mkdirSync(aside, { recursive: true, mode: 0o700 });
  const file = ledgerFile(home);
  for (const end of ['', '-wal', '-shm']) {
    if (existsSync(`${file}${end}`)) renameSync(`${file}${end}`, join(aside, `ledger.db${end}`));
  }
  renameSync(join(home, NEXT, 'ledger.db'), file);
  rmSync(join(home, NEXT), { recursive: true, force: true });
  await keeper.remember(ledger, ({ key }) =>
    replaceCheckpoint(checkpointFile(home), { ledger, count, at: now, lastSigned: [] }, key),
  );
  return aside;
}
