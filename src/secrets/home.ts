// Where this user's state lives. Finding the folder touches nothing; it is created, with mode 0700, by the
// first write (start-up does nothing).

import { mkdirSync } from 'node:fs';
import { isAbsolute, posix, resolve, win32 } from 'node:path';
import { causeOf } from '../base/systemErrors.ts';
import { SecretError, systemCode } from './errors.ts';
import { checkPrivateFolder } from './privateFile.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export interface ResolveHomeParameters {
  /** The `--home` option; wins over everything. */
  option?: string | undefined;
  env: Environment;
  platform: NodeJS.Platform;
  /** The user's home folder, as `os.homedir()` gives it. */
  userHome: string;
}

/**
 * The home folder: `--home`, else `COUNTERSIGN_HOME`, else the platform's place for an application's data
 * (XDG data home on Linux and other Unix, Application Support on macOS, local AppData on Windows). Always
 * absolute. Throws `INVALID_HOME` for an empty option or one with a line break or NUL.
 */
export function resolveHome({ option, env, platform, userHome }: ResolveHomeParameters): string {
  const chosen = option ?? env.COUNTERSIGN_HOME;
  if (chosen !== undefined && (option !== undefined || chosen !== '')) {
    if (chosen.trim() === '' || /[\0\r\n]/.test(chosen)) {
      throw new SecretError(
        'INVALID_HOME',
        'The home folder has no usable name.',
        'Pass a folder: `--home DIR`.',
      );
    }
    return resolve(chosen);
  }
  if (platform === 'win32') {
    return win32.join(env.LOCALAPPDATA || win32.join(userHome, 'AppData', 'Local'), 'countersign');
  }
  if (platform === 'darwin') return posix.join(userHome, 'Library', 'Application Support', 'countersign');
  // The XDG convention says that a relative path in the variable is to be ignored.
  const data = env.XDG_DATA_HOME;
  const root = data !== undefined && isAbsolute(data) ? data : posix.join(userHome, '.local', 'share');
  return posix.join(root, 'countersign');
}

/** Creates the home folder if need be and throws `INSECURE_FILE` unless it is the user's own, mode 0700. */
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
