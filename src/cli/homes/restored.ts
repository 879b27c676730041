/**
 * Records which moved backups this user restored on this machine, outside every home. A second copy of the backup
 * folder has no trace of the first restore, and two homes would each spend the whole limit (T80).
 */
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Environment, resolveHome } from '../../secrets/home.ts';
import { readPrivateFile, writePrivateFile } from '../../secrets/privateFile.ts';
import type { Manifest } from './manifest.ts';

const MAX_BYTES = 16_384;

/** Returns the folder of these notes, beside the default home and never in it. */
export const restoredFolder = (env: Environment, platform: NodeJS.Platform, userHome: string): string =>
  join(
    dirname(resolveHome({ env: { ...env, COUNTERSIGN_HOME: undefined }, platform, userHome })),
    'countersign-restored',
  );

/** Returns the home restored from a copy of this backup, or `undefined`. */
export function restoredTo(folder: string, { id }: Manifest): string | undefined {
  const bytes = readPrivateFile(join(folder, id), MAX_BYTES)?.bytes;
  return bytes === undefined ? undefined : new TextDecoder().decode(bytes).trimEnd();
}

/** Records a restore, before the home is in place. */
export function noteRestored(folder: string, { id }: Manifest, home: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writePrivateFile(join(folder, id), Buffer.from(`${home}\n`));
}
