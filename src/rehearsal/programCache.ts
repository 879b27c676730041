/**
 * Code of programs, kept in the home by address and deployment slot: it may be megabytes, and is the same until it is
 * deployed again. The name of a file holds the digest of its content; a file that does not fit its name is not used.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { remember } from '../base/remember.ts';
import { writePrivateFile } from '../secrets/privateFile.ts';
import type { Address } from '../transaction/types.ts';

export interface ProgramCache {
  get(program: Address, slot: number): Uint8Array | undefined;
  /** Keeps the code in place of earlier deployments of the program. A folder that cannot be written keeps nothing. */
  put(program: Address, slot: number, code: Uint8Array): void;
}

const MAX_IN_MEMORY = 8;

/** A cache in a folder, which is made with the first program; in memory alone without one. */
export function createProgramCache(folder: string | undefined): ProgramCache {
  const recent = new Map<string, Uint8Array>();
  const digest = (code: Uint8Array): string => createHash('sha256').update(code).digest('hex');
  const filesOf = (program: Address): string[] =>
    folder === undefined ? [] : readdirSync(folder).filter((name) => name.startsWith(`${program}-`));
  return {
    get(program, slot) {
      const prefix = `${program}-${slot}-`;
      const known = recent.get(prefix);
      if (known !== undefined || folder === undefined) return known;
      try {
        const [name] = filesOf(program).filter((each) => each.startsWith(prefix));
        if (name === undefined) return undefined;
        const code = new Uint8Array(readFileSync(join(folder, name)));
        if (name !== `${prefix}${digest(code)}`) return undefined;
        return remember(recent, prefix, code, MAX_IN_MEMORY);
      } catch {
        return undefined;
      }
    },
    put(program, slot, code) {
      const prefix = `${program}-${slot}-`;
      remember(recent, prefix, code, MAX_IN_MEMORY);
      if (folder === undefined) return;
      try {
        mkdirSync(folder, { recursive: true, mode: 0o700 });
        for (const name of filesOf(program)) rmSync(join(folder, name), { force: true });
        writePrivateFile(join(folder, `${prefix}${digest(code)}`), code);
      } catch {
        // The next process fetches it again.
      }
    },
  };
}
