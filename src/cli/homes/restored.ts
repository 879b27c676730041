/**
 * Which moved backups were restored by this user on this machine, kept outside every home: a second copy of the same
 * backup folder does not know what was done with the first, and two homes would each spend the whole limit (T80).
 */
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Environment, resolveHome } from '../../secrets/home.ts';
import { readPrivateFile, writePrivateFile } from '../../secrets/privateFile.ts';
import type { Manifest } from './manifest.ts';

const MAX_BYTES = 16_384;

/** Where this user's restores are noted: beside the usual home, never in it. */
export const restoredFolder = (env: Environment, platform: NodeJS.Platform, userHome: string): string =>
  join(
    dirname(resolveHome({ env: { ...env, COUNTERSIGN_HOME: undefined }, platform, userHome })),
    'countersign-restored',
  );

/** The home that was restored from a copy of this backup; `undefined` when none was. */
export function restoredTo(folder: string, { id }: Manifest): string | undefined {
  const bytes = readPrivateFile(join(folder, id), MAX_BYTES)?.bytes;
  return bytes === undefined ? undefined : new TextDecoder().decode(bytes).trimEnd();
}

/** Notes a restore, before the home is in place. */
export function noteRestored(folder: string, { id }: Manifest, home: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writePrivateFile(join(folder, id), Buffer.from(`${home}\n`));
}
