/** The manifest of a backup folder, `backup.json`, with the digest of every file. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { readPrivateFile, writePrivateFile } from '../../secrets/privateFile.ts';

const NAME = 'backup.json';
const MAX_BYTES = 1_048_576;

const manifest = z.strictObject({
  version: z.literal(1),
  /** Id of the backup, the same in every copy of the folder: 32 hex digits. */
  id: z.string().regex(/^[0-9a-f]{32}$/),
  /** Milliseconds since the epoch. */
  madeAt: z.int().min(0),
  /** Whether the home was retired by the backup: the restored home continues signing. */
  moved: z.boolean(),
  /** The home that was backed up. */
  home: z.string(),
  /** Relative paths inside the folder, without `..`. */
  files: z.array(
    z.strictObject({
      path: z.string().regex(/^[\w.-]+$/),
      sha256: z.string().regex(/^[0-9a-f]{64}$/),
    }),
  ),
  /** The home restored from a moved backup; the backup can be restored only there. */
  restoredTo: z.string().optional(),
  /** Set once that home is complete: a moved backup is restored once. */
  finished: z.boolean().optional(),
});

export type Manifest = z.infer<typeof manifest>;

/** Returns the manifest of a folder; `undefined` if it is not a complete backup. */
export function readManifest(folder: string): Manifest | undefined {
  const bytes = readPrivateFile(join(folder, NAME), MAX_BYTES)?.bytes;
  if (bytes === undefined) return undefined;
  try {
    return manifest.parse(JSON.parse(new TextDecoder().decode(bytes)));
  } catch {
    return undefined;
  }
}

/** Writes the manifest, as the last file: a folder without it is not a backup. */
export function writeManifest(folder: string, content: Manifest): void {
  writePrivateFile(join(folder, NAME), Buffer.from(`${JSON.stringify(content, undefined, 2)}\n`));
}

/** Returns the hex SHA-256 of a file. */
export const digestOf = (path: string): string =>
  createHash('sha256').update(readFileSync(path)).digest('hex');
