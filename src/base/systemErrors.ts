/** Messages for operating system errors. */

const CAUSES: Readonly<Record<string, string>> = {
  EROFS: 'its file system can only be read',
  EACCES: 'this user may not write there',
  EPERM: 'this user may not write there',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EFBIG: 'the file would be larger than this process may write',
  ENOENT: 'its folder does not exist, or nothing can be created in it',
  ENOTDIR: 'a part of its path is not a folder',
  EISDIR: 'a folder stands in the place of a file',
  EEXIST: 'a file stands in the place of a folder',
  ENAMETOOLONG: 'its path is too long',
};

/** Returns the cause of a Node system error code (`ENOSPC`) in words. */
export const causeOf = (code: string | undefined): string =>
  CAUSES[code ?? ''] ?? (code === undefined ? 'the cause is unknown' : `the system says ${code}`);

/**
 * Returns the message of an error and the next step: the hint of this project's errors, that of a file system error, or
 * none.
 */
export function errorWords(error: unknown): { message: string; hint: string | undefined } {
  if (!(error instanceof Error)) return { message: String(error), hint: undefined };
  const hint: unknown = 'hint' in error ? error.hint : undefined;
  if (typeof hint === 'string') return { message: error.message, hint };
  return fileErrorWords(error) ?? { message: error.message, hint: undefined };
}

/** Returns what an error of the file system means and what to do; undefined for any other error. */
function fileErrorWords(error: Error): { message: string; hint: string } | undefined {
  const { code, path, syscall }: NodeJS.ErrnoException = error;
  if (code === undefined || syscall === undefined || (path === undefined && CAUSES[code] === undefined))
    return undefined;
  return {
    message: `${path ?? 'A file'} cannot be used: ${causeOf(code)}.`,
    hint: 'Free disk space or name another place, then run the command again; `countersign doctor` shows the home folder.',
  };
}
