/**
 * What a moved home keeps beside its ledger: that it was moved, and where to. The ledger says so too; this file says it
 * when the ledger was removed, emptied or replaced, so that no new one is begun in a home that goes on elsewhere (T80).
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

/** How a home was moved; `undefined` for one that was not. A file that cannot be understood counts as moved, to a place unknown. */
export function readMoved(home: string): Retired | undefined {
  const bytes = readPrivateFile(movedFile(home), MAX_BYTES)?.bytes;
  if (bytes === undefined) return undefined;
  try {
    const { done, ...rest } = moved.parse(JSON.parse(new TextDecoder().decode(bytes)));
    return done === undefined ? rest : { ...rest, done };
  } catch {
    return { why: 'moved', at: 0, place: 'a folder that is not known any more', done: true };
  }
}

/** Notes the move, with mode 0600. */
export const writeMoved = (home: string, retired: Retired): void =>
  void writePrivateFile(movedFile(home), Buffer.from(`${JSON.stringify(retired)}\n`));
