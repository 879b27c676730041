// Files that only their owner may read: checked before each use, replaced atomically, never followed through a link
// (F51, B73). Windows has no owners and modes to check; see docs/safety.md.

import { randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  openSync,
  readSync,
  renameSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { causeOf } from '../base/systemErrors.ts';
import { SecretError, systemCode } from './errors.ts';
import { allocateSecretBytes } from './secret.ts';

const POSIX = process.platform !== 'win32';
const NO_FOLLOW = POSIX ? constants.O_NOFOLLOW : 0;
/** Opens a file without following a link, or waiting for the writer of a pipe. */
export const READ_FLAGS = constants.O_RDONLY | NO_FOLLOW | (POSIX ? constants.O_NONBLOCK : 0);

/** Returns the user id whose files are accepted; undefined if the platform has no user ids. */
export function currentUserId(): number | undefined {
  return process.getuid?.();
}

/** Identifies one state of a file: a rewrite, a replacement or a changed mode changes it. */
export interface FileIdentity {
  readonly device: bigint;
  readonly inode: bigint;
  readonly size: bigint;
  readonly modifiedNs: bigint;
  readonly changedNs: bigint;
}

export function sameFile(left: FileIdentity | undefined, right: FileIdentity | undefined): boolean {
  if (left === undefined || right === undefined) return left === right;
  return (
    left.device === right.device &&
    left.inode === right.inode &&
    left.size === right.size &&
    left.modifiedNs === right.modifiedNs &&
    left.changedNs === right.changedNs
  );
}

interface Stats {
  isFile(): boolean;
  isDirectory(): boolean;
  isSymbolicLink(): boolean;
  readonly dev: bigint;
  readonly ino: bigint;
  readonly size: bigint;
  readonly mtimeNs: bigint;
  readonly ctimeNs: bigint;
  readonly uid: bigint;
  readonly mode: bigint;
}

const insecure = (message: string, hint: string) => new SecretError('INSECURE_FILE', message, hint);

function checkOwnerAndMode(
  path: string,
  stats: Stats,
  wanted: '600' | '700',
  userId: number | undefined,
): void {
  if (!POSIX) return;
  if (userId !== undefined && stats.uid !== BigInt(userId)) {
    throw insecure(
      `${path} belongs to another user.`,
      `Use a copy of your own: run \`ls -l ${path}\` to see whose it is.`,
    );
  }
  if ((stats.mode & 0o077n) !== 0n) {
    throw insecure(
      `${path} can be opened by other users.`,
      `Run \`chmod ${wanted} ${path}\` and check who else could have read it.`,
    );
  }
}

function checkFile(path: string, stats: Stats, userId: number | undefined): FileIdentity {
  if (stats.isSymbolicLink()) {
    throw insecure(`${path} is a symbolic link.`, 'Name the file itself, then run the command again.');
  }
  if (!stats.isFile()) {
    throw insecure(`${path} is not a regular file.`, 'Name a regular file, then run the command again.');
  }
  checkOwnerAndMode(path, stats, '600', userId);
  return {
    device: stats.dev,
    inode: stats.ino,
    size: stats.size,
    modifiedNs: stats.mtimeNs,
    changedNs: stats.ctimeNs,
  };
}

/**
 * Checks a secret file without opening it. Returns undefined if it is missing. Throws `INSECURE_FILE` for a link,
 * another owner or a mode that permits access by others.
 */
export function inspectPrivateFile(path: string, userId = currentUserId()): FileIdentity | undefined {
  let stats: Stats;
  try {
    stats = lstatSync(path, { bigint: true });
  } catch (error) {
    // Also missing if a folder of the path is a file.
    if (['ENOENT', 'ENOTDIR'].includes(systemCode(error) ?? '')) return undefined;
    throw insecure(`${path} cannot be examined.`, `Run \`ls -l ${path}\` to see why.`);
  }
  return checkFile(path, stats, userId);
}

/** Throws `INSECURE_FILE` unless `path` is a folder of the user with mode 0700. */
export function checkPrivateFolder(path: string, userId = currentUserId()): void {
  const stats = lstatSync(path, { bigint: true });
  if (stats.isSymbolicLink() || !stats.isDirectory()) {
    throw insecure(`${path} is not a folder.`, 'Choose another folder with `--home DIR`.');
  }
  checkOwnerAndMode(path, stats, '700', userId);
}

/**
 * Reads a secret file after checking the opened file itself. The caller zeroes the bytes. Returns undefined if the
 * file is missing.
 */
export function readPrivateFile(
  path: string,
  maxBytes: number,
  userId = currentUserId(),
): { bytes: Uint8Array<ArrayBuffer>; identity: FileIdentity } | undefined {
  if (inspectPrivateFile(path, userId) === undefined) return undefined;
  let descriptor: number;
  try {
    descriptor = openSync(path, READ_FLAGS);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw insecure(`${path} cannot be opened.`, `Run \`ls -l ${path}\` to see why.`);
  }
  try {
    const identity = checkFile(path, fstatSync(descriptor, { bigint: true }), userId);
    if (identity.size > BigInt(maxBytes)) {
      throw insecure(
        `${path} is larger than ${maxBytes} bytes.`,
        'Name the right file, then run the command again.',
      );
    }
    const bytes = allocateSecretBytes(Number(identity.size));
    let length = 0;
    while (length < bytes.length) {
      const read = readSync(descriptor, bytes, length, bytes.length - length, length);
      if (read === 0) break;
      length += read;
    }
    if (
      length !== bytes.length ||
      !sameFile(identity, checkFile(path, fstatSync(descriptor, { bigint: true }), userId))
    ) {
      bytes.fill(0);
      throw new SecretError(
        'KEYSTORE_CHANGED',
        `${path} changed while it was read.`,
        'Run the command again.',
      );
    }
    return { bytes, identity };
  } finally {
    closeSync(descriptor);
  }
}

function syncFolder(path: string): void {
  if (!POSIX) return;
  const descriptor = openSync(path, constants.O_RDONLY);
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Writes a file with mode 0600 atomically: a new file beside it is synced and renamed over it, and the folder is
 * synced, so that a crash leaves either the old or the new content. Returns the identity of the new file.
 */
export function writePrivateFile(path: string, bytes: Uint8Array): FileIdentity {
  const there = lstatSync(path, { throwIfNoEntry: false });
  if (there !== undefined && !there.isFile() && !there.isSymbolicLink()) {
    throw new SecretError(
      'KEYSTORE_WRITE_FAILED',
      `${path} is not a regular file, so it was not overwritten.`,
      'Name a file, then run the command again.',
    );
  }
  const temporary = `${path}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    const descriptor = openSync(
      temporary,
      constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | NO_FOLLOW,
      0o600,
    );
    try {
      if (POSIX) fchmodSync(descriptor, 0o600);
      let written = 0;
      while (written < bytes.length) written += writeSync(descriptor, bytes, written);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    renameSync(temporary, path);
    syncFolder(dirname(path));
  } catch (error) {
    try {
      removeIfPresent(temporary);
    } catch {
      // The file may never have been created.
    }
    throw new SecretError(
      'KEYSTORE_WRITE_FAILED',
      `${path} could not be written: ${causeOf(systemCode(error))}. The old file is unchanged.`,
      'Free some space or check the folder, then run the command again; `countersign doctor` shows the folder.',
    );
  }
  const identity = inspectPrivateFile(path);
  if (identity === undefined) {
    throw new SecretError(
      'KEYSTORE_CHANGED',
      `${path} disappeared after it was written.`,
      'Run `countersign doctor`.',
    );
  }
  return identity;
}

/** Deletes a file durably; a missing file is not an error. */
export function removePrivateFile(path: string): void {
  removeIfPresent(path);
  syncFolder(dirname(path));
}

function removeIfPresent(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
  }
}
