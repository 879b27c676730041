/** Programs from a folder of `ADDRESS.so` files, which replace the stand-ins. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { addressBytes } from '../../src/transaction/base58.ts';
import type { Address } from '../../src/transaction/types.ts';

/** First bytes of a program file. */
const ELF = Buffer.from([0x7f, 0x45, 0x4c, 0x46]);

/** Reads the code by address. Throws RangeError with the name of an unusable folder or file. */
export function readProgramFolder(folder: string): ReadonlyMap<Address, Uint8Array> {
  const files = namesIn(folder).filter((name) => name.endsWith('.so'));
  if (files.length === 0) throw new RangeError(`There is no ADDRESS.so file in ${folder}.`);
  return new Map(
    files.map((name) => {
      const address = name.slice(0, -'.so'.length);
      if (!isAddress(address)) throw new RangeError(`${name} is not named after a program's address.`);
      const bytes = readFileSync(join(folder, name));
      if (!bytes.subarray(0, ELF.length).equals(ELF)) throw new RangeError(`${name} is not a program file.`);
      return [address, new Uint8Array(bytes)] as const;
    }),
  );
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    throw new RangeError(`${folder} cannot be read as a folder.`);
  }
}

function isAddress(text: string): boolean {
  try {
    return addressBytes(text).length === 32;
  } catch {
    return false;
  }
}
