/** What a backup folder says about itself: `backup.json`, with the digest of every file in it. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { readPrivateFile, writePrivateFile } from '../../secrets/privateFile.ts';

const NAME = 'backup.json';
const MAX_BYTES = 1_048_576;

const manifest = z.strictObject({
  version: z.literal(1),
  /** Which backup this is, the same in every copy of the folder: 32 hex digits. */
  id: z.string().regex(/^[0-9a-f]{32}$/),
  /** Milliseconds since the epoch. */
  madeAt: z.int().min(0),
  /** Whether the home was retired with it: what is restored from it goes on signing. */
  moved: z.boolean(),
  /** The home it was made of. */
  home: z.string(),
  /** Relative paths inside the folder; no `..` and nothing absolute. */
  files: z.array(
    z.strictObject({
      path: z.string().regex(/^[\w.-]+$/),
      sha256: z.string().regex(/^[0-9a-f]{64}$/),
    }),
  ),
  /** The home that was restored from a moved backup; it can be restored into that one only. */
  restoredTo: z.string().optional(),
  /** Set once that home was in place: a moved backup is restored once. */
  finished: z.boolean().optional(),
});

export type Manifest = z.infer<typeof manifest>;

/** The manifest of a folder; `undefined` when it is no finished backup of ours. */
export function readManifest(folder: string): Manifest | undefined {
  const bytes = readPrivateFile(join(folder, NAME), MAX_BYTES)?.bytes;
  if (bytes === undefined) return undefined;
  try {
    return manifest.parse(JSON.parse(new TextDecoder().decode(bytes)));
  } catch {
    return undefined;
  }
}

/** Written last: a folder without it is no backup. */
export function writeManifest(folder: string, content: Manifest): void {
  writePrivateFile(join(folder, NAME), Buffer.from(`${JSON.stringify(content, undefined, 2)}\n`));
}

/** Hex SHA-256 of a file. */
export const digestOf = (path: string): string =>
  createHash('sha256').update(readFileSync(path)).digest('hex');
