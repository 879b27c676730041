/**
 * The checkpoint of a home's ledger: its identity and write count in a separate file beside the database, so that a removed,
 * emptied, replaced or older ledger is detected (T80). Two slots of fixed size are written in turn: a power cut during one
 * write leaves the other.
 */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { closeSync, constants, fsyncSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { inspectPrivateFile, readPrivateFile, writePrivateFile } from '../../secrets/privateFile.ts';

/** The last known signature of one network that may have been sent. */
export interface LastSigned {
  readonly network: string;
  /** Block height after which it cannot land any more. */
  readonly deadHeight: number;
}

export interface Checkpoint {
  /** The ledger's identity: 32 hex digits, created with the database. */
  readonly ledger: string;
  /** Number of committed writes. */
  readonly count: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** One entry per network; empty without open signatures; absent if unknown. */
  readonly lastSigned?: readonly LastSigned[];
}

/** The key that authenticates a checkpoint. */
export interface CheckpointKey {
  /** Source of the key, stored in clear text. */
  readonly name: string;
  readonly key: Uint8Array;
}

/** The secret store's record of its home's ledger. */
export interface Vouched {
  readonly key?: CheckpointKey;
  /** Identity of the ledger; absent before the first signature and for a read-only store. */
  readonly ledger?: string;
}

export interface CheckpointKeeper {
  /** Rejects with a `SecretError` when the store cannot be read. */
  vouched(): Promise<Vouched>;
  /**
   * Records a ledger before its first signature, or an accepted one. Calls `first` with the key of its checkpoints before the
   * store is written: a kill in between leaves a checkpoint without a record, never the reverse.
   */
  remember(ledger: string, first: (vouched: Vouched) => void | Promise<void>): Promise<void>;
}

/** A stored checkpoint. `seal` covers the rest: a keyed digest if `sealedWith` names a key, else a plain one. */
export interface StoredCheckpoint extends Checkpoint {
  readonly sealedWith: string;
  readonly seal: string;
}

/** `damaged`: the file exists and contains no checkpoint. */
export type ReadCheckpoint = StoredCheckpoint | 'damaged' | undefined;

const whole = z.int().min(0);
const stored = z.object({
  ledger: z.string(),
  count: whole,
  at: whole,
  lastSigned: z
    .array(z.object({ network: z.string(), deadHeight: whole }))
    .optional()
    .catch(undefined),
  sealedWith: z.string(),
  seal: z.string(),
});

const SLOT_BYTES = 512;
const NO_KEY = 'none';

/** Returns the path of a home's checkpoint. */
export const checkpointFile = (home: string): string => join(home, 'high-water-mark');

/**
 * Returns the newest checkpoint of a file; `undefined` if there is no file. Verifies a plain digest; a keyed one needs its key
 * (`sealFits`). Throws `INSECURE_FILE` like every private file.
 */
export function readCheckpoint(file: string): ReadCheckpoint {
  const bytes = readPrivateFile(file, 16 * SLOT_BYTES)?.bytes;
  if (bytes === undefined) return undefined;
  const slots = readSlots(bytes).flatMap((slot) => slot ?? []);
  return slots.sort((a, b) => b.count - a.count || b.at - a.at)[0] ?? 'damaged';
}

/** Returns whether a checkpoint was sealed with this key. */
export function sealFits(checkpoint: StoredCheckpoint, key: CheckpointKey): boolean {
  const wanted = Buffer.from(sealOf(checkpoint, key), 'hex');
  const found = Buffer.from(checkpoint.seal, 'hex');
  return (
    checkpoint.sealedWith === key.name && wanted.length === found.length && timingSafeEqual(wanted, found)
  );
}

/**
 * Writes a checkpoint over the older of the two slots, or a new file. `durable` waits for the disk, as signatures require.
 */
export function writeCheckpoint(
  file: string,
  checkpoint: Checkpoint,
  key: CheckpointKey | undefined,
  durable: boolean,
): void {
  const slot = slotOf(checkpoint, key);
  if (inspectPrivateFile(file) === undefined) {
    writePrivateFile(file, Buffer.concat([slot, Buffer.alloc(SLOT_BYTES, ' ')]));
    return;
  }
  const known = readSlots(readPrivateFile(file, 16 * SLOT_BYTES)?.bytes ?? new Uint8Array());
  const [first, second] = known;
  const firstIsOlder =
    first === undefined ||
    (second !== undefined && (first.count - second.count || first.at - second.at) <= 0);
  const descriptor = openSync(file, constants.O_WRONLY | (constants.O_NOFOLLOW ?? 0));
  try {
    writeSync(descriptor, slot, 0, SLOT_BYTES, firstIsOlder ? 0 : SLOT_BYTES);
    if (durable) fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Replaces the file by one checkpoint, when another ledger is accepted. */
export function replaceCheckpoint(
  file: string,
  checkpoint: Checkpoint,
  key: CheckpointKey | undefined,
): void {
  writePrivateFile(file, Buffer.concat([slotOf(checkpoint, key), Buffer.alloc(SLOT_BYTES, ' ')]));
}

function slotOf(checkpoint: Checkpoint, key: CheckpointKey | undefined): Buffer {
  const stored: StoredCheckpoint = {
    ...checkpoint,
    sealedWith: key?.name ?? NO_KEY,
    seal: sealOf(checkpoint, key),
  };
  const text = `${JSON.stringify(stored)}\n`;
  if (Buffer.byteLength(text) > SLOT_BYTES) throw new RangeError('a checkpoint that is larger than its slot');
  return Buffer.from(text.padEnd(SLOT_BYTES));
}

function sealOf({ ledger, count, at, lastSigned }: Checkpoint, key: CheckpointKey | undefined): string {
  const signed = lastSigned?.flatMap(({ network, deadHeight }) => [network, deadHeight]) ?? ['', 0];
  const text = JSON.stringify([ledger, count, at, ...signed]);
  const sealed = `countersign ledger checkpoint v1\n${key?.name ?? NO_KEY}\n${text}`;
  const digest = key === undefined ? createHash('sha256') : createHmac('sha256', key.key);
  return digest.update(sealed).digest('hex');
}

function readSlots(bytes: Uint8Array): (StoredCheckpoint | undefined)[] {
  return [0, SLOT_BYTES].map((at) => parsed(Buffer.from(bytes.subarray(at, at + SLOT_BYTES)).toString()));
}

function parsed(text: string): StoredCheckpoint | undefined {
  try {
    const checkpoint = stored.parse(JSON.parse(text));
    const { sealedWith, seal } = checkpoint;
    return sealedWith === NO_KEY && seal !== sealOf(checkpoint, undefined) ? undefined : checkpoint;
  } catch {
    return undefined;
  }
}
