/** Where this user's state lives. Pure, and light enough for the start of the server. */
import { isAbsolute, posix, resolve, win32 } from 'node:path';

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
 * absolute; `undefined` for an empty option or one with a line break or NUL.
 */
export function homePath({ option, env, platform, userHome }: ResolveHomeParameters): string | undefined {
  const chosen = option ?? env.COUNTERSIGN_HOME;
  if (chosen !== undefined && (option !== undefined || chosen !== ''))
    return chosen.trim() === '' || /[\0\r\n]/.test(chosen) ? undefined : resolve(chosen);
  if (platform === 'win32')
    return win32.join(env.LOCALAPPDATA || win32.join(userHome, 'AppData', 'Local'), 'countersign');
  if (platform === 'darwin') return posix.join(userHome, 'Library', 'Application Support', 'countersign');
  // The XDG convention says that a relative path in the variable is to be ignored.
  const data = env.XDG_DATA_HOME;
  const root = data !== undefined && isAbsolute(data) ? data : posix.join(userHome, '.local', 'share');
  return posix.join(root, 'countersign');
}
