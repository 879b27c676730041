/** Look-up of instructions by program and discriminator. */
import type { Address } from '../transaction/types.ts';

/** An instruction of one or more programs, identified by its discriminator. */
export interface Entry {
  readonly programs: readonly Address[];
  readonly discriminator: Uint8Array;
  /** Whether empty data is equivalent to the discriminator. */
  readonly emptyData?: boolean;
}

/** Key of entries without a discriminator or with empty data. */
const ANY_BYTE = -1;

/** Entries by program and first byte, so that a look-up compares only a few. */
export class Table<E extends Entry> {
  private readonly byProgram = new Map<Address, Map<number, E[]>>();

  constructor(entries: Iterable<E>) {
    for (const entry of entries) {
      const firsts = [entry.discriminator[0] ?? ANY_BYTE, ...(entry.emptyData ? [ANY_BYTE] : [])];
      for (const program of entry.programs) {
        const byByte = this.byProgram.get(program) ?? new Map<number, E[]>();
        this.byProgram.set(program, byByte);
        for (const first of firsts) byByte.set(first, [...(byByte.get(first) ?? []), entry]);
      }
    }
  }

  knows(program: Address): boolean {
    return this.byProgram.has(program);
  }

  /** Returns the entry whose discriminator the data starts with, or `undefined`. */
  find(program: Address, data: Uint8Array): E | undefined {
    const byByte = this.byProgram.get(program);
    if (byByte === undefined) return undefined;
    const entries = byByte.get(data[0] ?? ANY_BYTE) ?? byByte.get(ANY_BYTE);
    return entries?.find((entry) => startsWith(entry, data));
  }
}

function startsWith({ discriminator, emptyData }: Entry, data: Uint8Array): boolean {
  if (data.length === 0) return emptyData === true || discriminator.length === 0;
  return discriminator.every((byte, index) => data[index] === byte);
}
