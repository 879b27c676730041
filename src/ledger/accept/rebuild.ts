/**
 * A new ledger in the place of one that was lost, begun with what the chain shows as spent (T80). It is written aside,
 * whole, before anything is moved; its high-water mark is replaced last, so that an interruption anywhere leaves a home
 * that still signs nothing.
 */
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../clock.ts';
import type { Mode } from '../../plan/types.ts';
import type { Database, Standing } from '../database.ts';
import { ledgerFile } from '../ledgerFile.ts';
import type { ActualUse } from '../limits.ts';
import type { MarkKeeper } from '../mark/keeper.ts';
import { markFile, replaceMark } from '../mark/markFile.ts';
import { openDatabase } from '../sqlite/database.ts';
import { take } from '../sqlite/reservations.ts';
import { seal } from '../sqlite/seal.ts';
import { freeze, setNote } from '../sqlite/state.ts';
import { ensureScope } from '../sqlite/windows.ts';
import type { JournalRow } from '../types.ts';

/** Something that is counted as used at a time, of a wallet on a network. */
export interface Spent {
  readonly wallet: string;
  readonly network: string;
  /** Milliseconds since the epoch. */
  readonly time: number;
  readonly uses: readonly ActualUse[];
  /** How often each kind of plan (an operation, or `any`) counts. */
  readonly counts: readonly { readonly of: string; readonly times: bigint }[];
  /** The transaction that shows it; absent for what the chain could not show. */
  readonly landed?: Pick<JournalRow, 'signature' | 'transaction' | 'messageSha256' | 'blockhash'> & {
    readonly slot: number;
    readonly error: string | null;
  };
}

export interface Rebuilt {
  readonly spent: readonly Spent[];
  readonly mode: Mode;
  /** A freeze that the remains of the old ledger still show. */
  readonly frozen?: string;
}

/** Where the new ledger stands until it is put in place. */
const NEXT = 'next-ledger';
/** The key under which a ledger keeps what the owner key said about it. */
export const ACCEPTED_LEDGER = 'accepted-ledger';

/** Writes the new ledger aside. `accept` is given its identity and returns the owner key's statement about it. */
export async function buildLedger(
  home: string,
  clock: Clock,
  rebuilt: Rebuilt,
  accept: (ledger: string, time: number) => Promise<string>,
): Promise<Standing> {
  const folder = join(home, NEXT);
  rmSync(folder, { recursive: true, force: true });
  const db = await openDatabase(join(folder, 'ledger.db'), clock);
  try {
    const ledger = (await db.standing())?.ledger ?? '';
    const statement = await accept(ledger, await db.time());
    await db.write(async (db, now) => {
      for (const each of rebuilt.spent) await record(db, each, rebuilt.mode, now);
      if (rebuilt.frozen !== undefined) await freeze(db, rebuilt.frozen);
      await setNote(db, ACCEPTED_LEDGER, JSON.stringify({ at: now, statement }));
    });
    // One file without a log beside it can be moved as a whole.
    await db.all('PRAGMA journal_mode = DELETE');
    return (await db.standing()) ?? { ledger, count: 0 };
  } finally {
    await db.close();
  }
}

/** Moves what is left of the old ledger aside and puts the new one in its place. Returns where the old one is. */
export async function placeLedger(
  home: string,
  { ledger, count }: Standing,
  keeper: MarkKeeper,
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
    replaceMark(markFile(home), { ledger, count, at: now, lastSigned: [] }, key),
  );
  return aside;
}

/** A settled reservation, and the journal row of the transaction that shows it, where there is one. */
async function record(db: Database, spent: Spent, mode: Mode, now: number): Promise<void> {
  const { wallet, network, time, landed } = spent;
  const id = ((await db.get('SELECT MAX(id) AS id FROM reservations'))?.maybeNumber('id') ?? 0) + 1;
  const planId = `before-${id}`;
  const stageId = 'landed';
  await db.run(
    "INSERT INTO reservations VALUES (?, ?, ?, ?, ?, ?, 0, 'settled', ?)",
    id,
    wallet,
    network,
    planId,
    stageId,
    planId,
    time,
  );
  const use = { reservation: id, planId, time };
  for (const { asset, amount } of spent.uses) {
    const scope = await ensureScope(db, { network, wallet, kind: 'asset', of: asset });
    await take(db, { ...use, scope, counted: 0 }, amount);
  }
  for (const { of, times } of spent.counts) {
    const scope = await ensureScope(db, { network, wallet, kind: 'count', of });
    await take(db, { ...use, scope, counted: 1 }, times);
  }
  if (landed === undefined) return;
  const { signature, transaction, messageSha256, blockhash, slot, error } = landed;
  const fixed = { signature, planId, revision: 0, stageId, intentKey: planId, wallet, network, mode };
  const body = JSON.stringify({
    ...fixed,
    transaction,
    messageSha256,
    blockhash,
    deadHeight: 0,
    policyHash: '',
    decisionId: '',
    createdAt: time,
  });
  const state = error === null ? 'finalized' : 'failed';
  await db.run(
    // Wallets of one home may share a transaction: it is one row, and counts for each of them.
    'INSERT INTO journal VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (signature) DO NOTHING',
    signature,
    planId,
    planId,
    stageId,
    wallet,
    network,
    messageSha256,
    id,
    body,
    state,
    slot,
    error,
    now,
    seal(signature, id, body, state, slot, error, now),
  );
}
