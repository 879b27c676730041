/**
 * Detects a lost ledger (T80). Compares the open ledger with the home's checkpoint when it is opened and before every write,
 * and moves the checkpoint: the ledger commits first, so that a kill at any point leaves a ledger ahead of its checkpoint,
 * never behind it.
 */
import { closeSync, constants, lstatSync, openSync, readSync, statSync } from 'node:fs';
import { SecretError, systemCode } from '../../secrets/errors.ts';
import { inspectPrivateFile } from '../../secrets/privateFile.ts';
import { withFileLock } from '../../secrets/stores/fileLock.ts';
import { readMoved } from '../backup/movedFile.ts';
import type { Database, LedgerIdentity, Retired, Watching } from '../database.ts';
import { LedgerError, lost } from '../errors.ts';
import { createQueue } from '../queue.ts';
import { readJournal } from '../sqlite/journal.ts';
import { checkHome } from '../sqlite/place.ts';
import {
  type Checkpoint,
  type CheckpointKeeper,
  type CheckpointKey,
  checkpointFile,
  type LastSigned,
  type ReadCheckpoint,
  readCheckpoint,
  sealFits,
  type Vouched,
  writeCheckpoint,
} from './checkpointFile.ts';

export interface GuardOptions {
  /** The ledger's file; absent for a database server. */
  readonly file?: string;
  /** The home of the checkpoint; absent for a ledger without a home. */
  readonly home?: string;
  /** Present for signers, which move the checkpoint. */
  readonly keeper?: CheckpointKeeper;
  readonly now: () => number;
}

export interface Guard {
  /** Refuses to open a missing ledger, so that no new one is begun beside its checkpoint. */
  beforeOpening(): void;
  readonly watching: Watching;
  /** Compares an opened ledger with the checkpoint; returns the error for every write if they do not match. */
  opened(db: Database): Promise<LedgerError | undefined>;
  /** Verifies the checkpoint with its key, if this process has one. Writes nothing. */
  vouchedFor(): Promise<void>;
  /** Before a signature: verifies the checkpoint with its key; the first signature creates it. */
  beforeSigning(db: Database): Promise<void>;
  /** Moves the checkpoint durably after a commit that must not be lost. */
  committed(db: Database, signed?: LastSigned): Promise<void>;
  closing(db: Database): Promise<void>;
}

interface FileId {
  readonly device: number;
  readonly inode: number;
}

export function createGuard({ file, home, keeper, now }: GuardOptions): Guard {
  const place = home === undefined ? undefined : checkpointFile(home);
  let checkpoint: ReadCheckpoint;
  /** Set in a home that was moved away. */
  let moved: Retired | undefined;
  let database: FileId | undefined;
  let log: FileId | undefined;
  let seen: LedgerIdentity | undefined;
  /** Open signatures as last read or written by this process. */
  let lastSigned: Checkpoint['lastSigned'];
  /** Set once this process may move the checkpoint. */
  let sealing: { readonly key: CheckpointKey | undefined } | undefined;

  const enqueue = createQueue();
  /**
   * Excludes other processes from moving the checkpoint. On a file, callers of `moveCheckpoint` hold the ledger's own lock.
   */
  const alone = async <T>(work: () => T | Promise<T>): Promise<T> => {
    if (file !== undefined || place === undefined || sealing === undefined) return work();
    try {
      return await enqueue(() => withFileLock(`${place}.moving`, async () => work()));
    } catch (error) {
      throw error instanceof SecretError ? unwritable(error.code) : error;
    }
  };

  /**
   * Moves the checkpoint forward. Keeps the signatures of other processes and adds those of this one. Inside `alone`.
   */
  const moveCheckpoint = (
    { ledger, count }: LedgerIdentity,
    durable: boolean,
    change: (open: Checkpoint['lastSigned']) => Checkpoint['lastSigned'] = (open) => open,
  ): void => {
    if (place === undefined || sealing === undefined) return;
    try {
      const stored = readCheckpoint(place);
      const known = stored === 'damaged' || stored?.ledger !== ledger ? undefined : stored;
      const sound = known !== undefined && (sealing.key === undefined || sealFits(known, sealing.key));
      lastSigned = change(sound ? known.lastSigned : lastSigned);
      const at = Math.max(now(), sound ? known.at + 1 : 0);
      // Concurrent writes arrive in any order.
      const most = sound ? Math.max(count, known.count) : count;
      const next = { ledger, count: most, at, ...(lastSigned && { lastSigned }) };
      writeCheckpoint(place, next, sealing.key, durable);
    } catch (error) {
      throw unwritable(systemCode(error));
    }
  };

  /** Throws if the files were replaced: no other process would see the writes of this one. */
  const requireInPlace = (): void => {
    if (file === undefined) return;
    const [databaseNow, logNow] = [idOf(file), idOf(`${file}-wal`)];
    log ??= logNow;
    if (same(database, databaseNow) && same(log, logNow)) return;
    throw lost('The ledger was removed or replaced while this process was using it.');
  };

  const begin = async (identity: LedgerIdentity): Promise<void> => {
    requireInPlace();
    const retired = identity.retired ?? moved;
    if (retired !== undefined) throw retiredError(retired);
    if (seen !== undefined && (identity.ledger !== seen.ledger || identity.count < seen.count)) {
      throw lost('An older or another ledger was put in place while this process was using it.');
    }
    seen = identity;
    await alone(() => moveCheckpoint(identity, false));
  };

  /** Throws if the checkpoint does not match the secret store. */
  const requireVouched = ({ key, ledger }: Vouched): void => {
    const stored = checkpoint === 'damaged' ? undefined : checkpoint;
    if (ledger !== undefined && (stored?.ledger !== ledger || key === undefined || !sealFits(stored, key))) {
      throw lost(
        stored === undefined
          ? "The ledger's checkpoint was removed; the secret store says that there was one."
          : "The ledger's checkpoint is not the one the secret store vouches for.",
      );
    }
    if (
      stored !== undefined &&
      key !== undefined &&
      stored.sealedWith === key.name &&
      !sealFits(stored, key)
    ) {
      throw lost("The ledger's checkpoint was changed by something else than Countersign.");
    }
  };

  const establish = async (db: Database, by: CheckpointKeeper, path: string): Promise<void> => {
    await withFileLock(`${path}.lock`, async () => {
      // The checkpoint first, then the ledger: another process may be writing both.
      checkpoint = readCheckpoint(path);
      const identity = await requireIdentity(db);
      const loss = lossOf(checkpoint, identity);
      if (loss !== undefined) throw loss;
      const vouched = await by.vouched();
      requireVouched(vouched);
      const first = async ({ key }: Vouched) => {
        sealing = { key };
        // Without a checkpoint nothing was ever signed here.
        lastSigned = checkpoint === undefined || checkpoint === 'damaged' ? [] : checkpoint.lastSigned;
        await alone(() => db.hold(async (db) => moveCheckpoint(await requireIdentity(db), true)));
      };
      if (vouched.ledger === undefined) await by.remember(identity.ledger, first);
      else await first(vouched);
    });
  };

  return {
    beforeOpening: () => {
      if (home !== undefined) checkHome(home);
      [database, log, seen, lastSigned, sealing] = [undefined, undefined, undefined, undefined, undefined];
      checkpoint = place === undefined ? undefined : readCheckpoint(place);
      moved = home === undefined ? undefined : readMoved(home);
      if (file === undefined || (checkpoint === undefined && moved === undefined)) return;
      inspectPrivateFile(file);
      const gone = absenceOf(file);
      if (gone !== undefined) throw moved === undefined ? lost(gone) : retiredError(moved);
    },
    watching: {
      get expected() {
        return checkpoint !== undefined || moved !== undefined;
      },
      begin,
    },
    opened: async (db) => {
      database = file === undefined ? undefined : idOf(file);
      const identity = await db.identity();
      seen = identity;
      return moved === undefined ? lossOf(checkpoint, identity) : retiredError(moved);
    },
    vouchedFor: async () => {
      if (keeper !== undefined && sealing === undefined) requireVouched(await keeper.vouched());
    },
    beforeSigning: async (db) => {
      if (keeper === undefined || place === undefined || sealing !== undefined) return;
      await establish(db, keeper, place);
    },
    committed: async (db, signed) => {
      if (sealing === undefined) return;
      const add = (open: Checkpoint['lastSigned']) =>
        signed === undefined ? open : withSigned(open, signed);
      await alone(() => db.hold(async (db) => moveCheckpoint(await requireIdentity(db), true, add)));
    },
    closing: async (db) => {
      if (sealing === undefined) return;
      await alone(() =>
        db.hold(async (db) => {
          requireInPlace();
          const settled = (await readJournal(db, { open: true })).length === 0;
          moveCheckpoint(await requireIdentity(db), true, (open) => (settled ? [] : open));
        }),
      );
    },
  };
}

const unwritable = (code: string | undefined): LedgerError =>
  new LedgerError('LEDGER_UNHEALTHY', `The ledger's checkpoint cannot be written (${code}).`);

async function requireIdentity(db: Database): Promise<LedgerIdentity> {
  const identity = await db.identity();
  if (identity === undefined) throw lost('The ledger has no identity.');
  return identity;
}

/** Returns why a ledger is not the one its home signed under; `undefined` if it is, or if nothing was signed. */
export function lossOf(
  checkpoint: ReadCheckpoint,
  identity: LedgerIdentity | undefined,
): LedgerError | undefined {
  if (identity?.retired !== undefined) return retiredError(identity.retired);
  if (checkpoint === undefined) return undefined;
  if (checkpoint === 'damaged') return lost("The ledger's checkpoint is damaged.");
  if (identity?.ledger !== checkpoint.ledger) {
    return lost('The ledger is not the one this home signed under.');
  }
  if (identity.count >= checkpoint.count) return undefined;
  return lost(
    `The ledger is older than it was: ${checkpoint.count - identity.count} of its ${checkpoint.count} writes are missing.`,
  );
}

/** Returns the error of a retired ledger. */
export function retiredError({ why, at, place }: Retired): LedgerError {
  const when = new Date(at).toISOString().slice(0, 10);
  return why === 'moved'
    ? new LedgerError(
        'LEDGER_LOST',
        `This home was moved on ${when}, with the backup in ${place}.`,
        'Nothing is signed here any more. Use the home that was restored from that backup; what is recorded here can still be read.',
      )
    : lost(`This ledger came out of a backup of ${when}: what was signed since then is not in it.`);
}

/** Maximum number of networks in a checkpoint. With more, open signatures are unknown. */
const MAX_NETWORKS = 3;

/** Adds a signature to the open ones, keeping the longest-lived one per network. */
function withSigned(open: Checkpoint['lastSigned'], next: LastSigned): Checkpoint['lastSigned'] {
  if (open === undefined) return undefined;
  const others = open.filter(({ network }) => network !== next.network);
  const same = open.find(({ network }) => network === next.network);
  const all = [...others, same !== undefined && same.deadHeight > next.deadHeight ? same : next];
  return all.length > MAX_NETWORKS ? undefined : all;
}

/** Returns why an expected ledger is missing; `undefined` if it exists. */
function absenceOf(file: string): string | undefined {
  const size = sizeOf(file);
  if (size === undefined) return `The ledger ${file} is missing.`;
  if (size === 0) return `The ledger ${file} was emptied.`;
  // Without this check SQLite would continue from the log alone and not notice that the file is gone.
  return isDatabase(file) ? undefined : `The ledger ${file} is not a ledger any more.`;
}

function idOf(path: string): FileId | undefined {
  try {
    const { dev, ino } = lstatSync(path);
    return { device: dev, inode: ino };
  } catch {
    return undefined;
  }
}

/** A file that was never seen does not count as missing. */
const same = (known: FileId | undefined, now: FileId | undefined): boolean =>
  known === undefined || (known.device === now?.device && known.inode === now.inode);

const MAGIC = 'SQLite format 3\0';

function isDatabase(path: string): boolean {
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const bytes = Buffer.alloc(MAGIC.length);
    readSync(descriptor, bytes, 0, bytes.length, 0);
    return bytes.toString('latin1') === MAGIC;
  } finally {
    closeSync(descriptor);
  }
}

function sizeOf(path: string): number | undefined {
  try {
    return statSync(path).size;
  } catch {
    return undefined;
  }
}
