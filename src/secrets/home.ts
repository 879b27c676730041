// The home folder with this user's state. Resolving it touches no file; the first write creates it with mode 0700.

import { mkdirSync } from 'node:fs';
import { type Environment, homePath, type ResolveHomeParameters } from '../base/homePath.ts';
import { causeOf } from '../base/systemErrors.ts';
import { SecretError, systemCode } from './errors.ts';
import { checkPrivateFolder } from './privateFile.ts';

export type { Environment, ResolveHomeParameters };

/** Returns the home folder resolved by `homePath`. Throws `INVALID_HOME` for an unusable name. */
export function resolveHome(parameters: ResolveHomeParameters): string {
  const path = homePath(parameters);
  if (path === undefined)
    throw new SecretError(
      'INVALID_HOME',
      'The home folder has no usable name.',
      'Pass a folder: `--home DIR`.',
    );
  return path;
}

/** Creates the home folder if needed. Throws `INSECURE_FILE` unless it belongs to the user and has mode 0700. */
export function ensureHome(home: string): void {
  try {
    mkdirSync(home, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new SecretError(
      'INVALID_HOME',
      `The home folder ${home} cannot be created: ${causeOf(systemCode(error))}.`,
      'Choose another folder with `--home DIR` or COUNTERSIGN_HOME.',
    );
  }
  checkPrivateFolder(home);
}
