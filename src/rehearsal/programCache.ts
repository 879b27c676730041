/**
 * Cache of program code by address and deployment slot, in the home. File names contain a digest of the content; files that
 * do not match it are ignored.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { remember } from '../base/remember.ts';
import { writePrivateFile } from '../secrets/privateFile.ts';
import type { Address } from '../transaction/types.ts';

export interface ProgramCache {
  get(program: Address, slot: number): Uint8Array | undefined;
  /** Stores code and removes earlier deployments of the program. Write errors are ignored. */
  put(program: Address, slot: number, code: Uint8Array): void;
}

const MAX_IN_MEMORY = 8;

/** Creates a cache in a folder, which is created on first use; in memory only without a folder. */
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
        // The code is fetched again by the next process.
      }
    },
  };
}
