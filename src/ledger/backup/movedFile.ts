/**
 * The record of a moved home beside its ledger. The ledger contains it too; the file remains if the ledger is removed,
 * emptied or replaced, so that no new ledger is begun in a home that continues elsewhere (T80).
 */
import { join } from 'node:path';
import { z } from 'zod';
import { readPrivateFile, writePrivateFile } from '../../secrets/privateFile.ts';
import type { Retired } from '../database.ts';

const MAX_BYTES = 16_384;

const moved = z.strictObject({
  why: z.literal('moved'),
  /** Milliseconds since the epoch. */
  at: z.int().min(0),
  place: z.string(),
  done: z.literal(true).optional(),
});

const movedFile = (home: string): string => join(home, 'moved.json');

/** Returns the move of a home; `undefined` if it was not moved. An unreadable file counts as a move to an unknown folder. */
export function readMoved(home: string): Retired | undefined {
  const bytes = readPrivateFile(movedFile(home), MAX_BYTES)?.bytes;
  if (bytes === undefined) return undefined;
  try {
    const { done, ...rest } = moved.parse(JSON.parse(new TextDecoder().decode(bytes)));
    return done === undefined ? rest : { ...rest, done };
  } catch {
    return { why: 'moved', at: 0, place: 'an unknown folder', done: true };
  }
}

/** Writes the record, with mode 0600. */
export const writeMoved = (home: string, retired: Retired): void =>
  void writePrivateFile(movedFile(home), Buffer.from(`${JSON.stringify(retired)}\n`));
