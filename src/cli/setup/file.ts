/**
 * Reads, previews and replaces a client's configuration file. A write keeps a copy of the old file, follows links to
 * the real file, keeps its mode, and fails if another program wrote in between.
 */
import { randomBytes } from 'node:crypto';
import {
  constants,
  copyFileSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import type { Edit } from 'jsonc-parser';
import { SetupError } from '../../runtime/backends/backend.ts';
import { systemCode } from '../../secrets/errors.ts';

const MAX_BYTES = 20_000_000;

/** Returns the text of a file, or `undefined` if it is missing. */
export function readText(path: string): string | undefined {
  try {
    const bytes = readFileSync(path);
    if (bytes.length > MAX_BYTES) throw new SetupError(`${path} is too large.`, 'Change it by hand.');
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    if (error instanceof SetupError) throw error;
    throw new SetupError(
      `${path} cannot be read as text (${systemCode(error) ?? 'not UTF-8'}).`,
      'Change it by hand; `countersign setup` prints the entry.',
    );
  }
}

/** Returns the edit as a diff of the touched text only: other entries may contain secrets. */
export function preview(before: string | undefined, { offset, length, content }: Edit): string[] {
  const text = before ?? '';
  const where = before === undefined ? 'new file' : `line ${text.slice(0, offset).split('\n').length}`;
  const lines = (sign: string, part: string): string[] =>
    part.trim() === ''
      ? []
      : part
          .replace(/^\r?\n|\r?\n$/g, '')
          .split(/\r?\n/)
          .map((line) => `${sign} ${line}`);
  return [`@@ ${where} @@`, ...lines('-', text.slice(offset, offset + length)), ...lines('+', content)];
}

/** Replaces a file's text; returns the path of the copy of the old file. */
export function replaceText(path: string, before: string | undefined, after: string): string | undefined {
  const real = before === undefined ? path : realpathSync(path);
  mkdirSync(dirname(real), { recursive: true });
  const temporary = join(dirname(real), `.countersign-${randomBytes(6).toString('hex')}`);
  const mode = before === undefined ? 0o600 : statSync(real).mode & 0o777;
  try {
    const backup = before === undefined ? undefined : backUp(real);
    writeFileSync(temporary, after, { mode, flag: 'wx', flush: true });
    if (readText(path) !== before) {
      throw new SetupError(
        `${path} changed in the meantime; it was not written.`,
        'Close the client and run the command again.',
      );
    }
    renameSync(temporary, real);
    return backup;
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error instanceof SetupError
      ? error
      : new SetupError(
          `${path} cannot be written (${systemCode(error) ?? 'unknown error'}).`,
          'Change it by hand; `countersign setup` prints the entry.',
        );
  }
}

/** Copies a file beside itself under an unused name; never overwrites an older copy. */
function backUp(path: string): string {
  for (let count = 1; ; count += 1) {
    const copy = `${path}.before-countersign${count === 1 ? '' : `-${count}`}`;
    try {
      copyFileSync(path, copy, constants.COPYFILE_EXCL);
      return copy;
    } catch (error) {
      if (systemCode(error) !== 'EEXIST' || count >= 1000) throw error;
    }
  }
}
