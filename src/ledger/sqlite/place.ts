/**
 * Location of a ledger: a regular file in a folder of the user, private like a file of secrets (F61). Errors name the
 * remedy instead of a system error.
 */
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  statSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { causeOf } from '../../base/systemErrors.ts';
import { SecretError, systemCode } from '../../secrets/errors.ts';
import { currentUserId, inspectPrivateFile } from '../../secrets/privateFile.ts';
import { LedgerError } from '../errors.ts';

const WRITABLE_BY_OTHERS = 0o022;

/** Creates the file (mode 0600) and its folder (0700) if missing; refuses anything but a private file. */
export function makeFile(file: string): void {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    if (checkFiles(file)) {
      accessSync(file, constants.R_OK | constants.W_OK);
      accessSync(dirname(file), constants.W_OK);
      return;
    }
    const flags = constants.O_RDWR | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0);
    closeSync(openSync(file, flags, 0o600));
  } catch (error) {
    throw named(error, dirname(file));
  }
}

/**
 * Refuses links, special files, files of or open to other users, and a second hard link: each name would have its own log,
 * and neither home would see what the other spends. Returns whether the file exists.
 */
function checkFiles(file: string): boolean {
  const found = [file, `${file}-wal`, `${file}-shm`].map((path) => inspectPrivateFile(path));
  if (found[0] !== undefined && lstatSync(file).nlink > 1) {
    throw new SecretError(
      'INSECURE_FILE',
      `${file} has a second name (a hard link).`,
      `Stop every server, then give it a file of its own: \`cp ${file} ${file}.new && mv ${file}.new ${file}\`.`,
    );
  }
  return found[0] !== undefined;
}

/** Refuses a home folder that another user owns or can write to. A missing folder is accepted. */
export function checkHome(home: string): void {
  let stats: ReturnType<typeof lstatSync>;
  try {
    stats = lstatSync(home);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return;
    throw named(error, home);
  }
  const another = 'Choose a folder of your own with `--home DIR` or COUNTERSIGN_HOME.';
  const refuse = (message: string, hint = another) => new SecretError('INSECURE_FILE', message, hint);
  if (stats.isSymbolicLink()) {
    throw refuse(`The home folder ${home} is a symbolic link.`, 'Name the folder itself with `--home DIR`.');
  }
  if (!stats.isDirectory()) throw refuse(`The home ${home} is not a folder.`);
  const userId = currentUserId();
  if (userId === undefined) return;
  if (stats.uid !== userId) throw refuse(`The home folder ${home} belongs to another user.`);
  if ((stats.mode & WRITABLE_BY_OTHERS) === 0) return;
  throw refuse(
    `Other users can put files into the home folder ${home}.`,
    `Run \`chmod 700 ${home}\` and check what is in it.`,
  );
}

/** Refuses a home in which no ledger can be created. Creates nothing. */
export function requireCreatable(home: string): void {
  checkHome(home);
  let folder = home;
  while (!existsSync(folder) && dirname(folder) !== folder) folder = dirname(folder);
  try {
    if (!statSync(folder).isDirectory()) throw Object.assign(new Error('no folder'), { code: 'ENOTDIR' });
    accessSync(folder, constants.W_OK | constants.X_OK);
  } catch (error) {
    throw named(error, home);
  }
}

/** Returns a system error as a `LedgerError`; other errors unchanged. */
function named(error: unknown, folder: string): unknown {
  const code = systemCode(error);
  if (code === undefined || error instanceof SecretError) return error;
  return new LedgerError(
    'LEDGER_UNHEALTHY',
    `The ledger cannot be kept in ${folder}: ${causeOf(code)}.`,
    'Nothing is signed until then. Make the folder writable for this user, or choose another home with `--home DIR` or COUNTERSIGN_HOME.',
  );
}
