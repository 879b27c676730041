/**
 * The file of a program as a loader of the chain takes it: an ELF shared object with the code, its constants, and the
 * places where functions of the runtime are called by name. Programs written by hand and compiled ones both end here.
 */

/** A place in the code, in bytes, that calls a function of the runtime. */
export interface RuntimeCall {
  readonly at: number;
  readonly name: string;
}

export interface ProgramParts {
  readonly code: Uint8Array;
  readonly calls: readonly RuntimeCall[];
  /** Where in the code the program begins, in bytes. */
  readonly entry: number;
  /** Read-only data. */
  readonly constants?: Uint8Array;
}

/** Address of the start of the file while the program runs. */
export const CONSTANTS_BASE = 0x1_0000_0000;

const HEADER_BYTES = 64;
const SECTION_BYTES = 64;
const SYMBOL_BYTES = 24;
const RELOCATION_BYTES = 16;
const CALL_RELOCATION = 10n;

/** Where constants stand in the file, behind `codeBytes` of code. */
export const constantsAt = (codeBytes: number): number => aligned(HEADER_BYTES + codeBytes);

interface Section {
  readonly name: string;
  readonly type: number;
  readonly flags: bigint;
  readonly data: Uint8Array;
  /** Number of the section its names are in. */
  readonly link?: number;
  readonly entryBytes?: number;
}

const [PROGRAM_BITS, STRINGS, DYNAMIC, RELOCATIONS, DYNAMIC_SYMBOLS] = [1, 3, 6, 9, 11] as const;

/**
 * The file of a program. Constants stand behind the code, at `CONSTANTS_BASE + constantsAt(code.length)` while it runs.
 */
export function programFile({ code, calls, entry, constants }: ProgramParts): Uint8Array {
  const sections: Section[] = [{ name: '.text', type: PROGRAM_BITS, flags: 6n, data: code }];
  let end = HEADER_BYTES + code.length;
  if (constants !== undefined && constants.length > 0) {
    sections.push({ name: '.rodata', type: PROGRAM_BITS, flags: 2n, data: constants });
    end = constantsAt(code.length) + constants.length;
  }
  if (calls.length > 0) sections.push(...dynamicSections(aligned(end), sections.length + 1, calls));
  return linked(sections, HEADER_BYTES + entry);
}

/** What a loader needs to find the functions that are called: their names, and the places of the calls. */
function dynamicSections(symbolsAt: number, symbolsNumber: number, calls: readonly RuntimeCall[]): Section[] {
  const names = [...new Set(calls.map(({ name }) => name))];
  const strings = Buffer.from(`\0${names.map((name) => `${name}\0`).join('')}`);
  const symbols = Buffer.alloc(SYMBOL_BYTES * (names.length + 1));
  for (const [index, name] of names.entries()) {
    symbols.writeUInt32LE(strings.indexOf(`\0${name}\0`) + 1, SYMBOL_BYTES * (index + 1));
    symbols.writeUInt8(0x10, SYMBOL_BYTES * (index + 1) + 4); // global, of no type: found elsewhere
  }
  const relocations = Buffer.alloc(RELOCATION_BYTES * calls.length);
  for (const [index, { at, name }] of calls.entries()) {
    const symbol = BigInt(names.indexOf(name) + 1);
    relocations.writeBigUInt64LE(BigInt(HEADER_BYTES + at), RELOCATION_BYTES * index);
    relocations.writeBigUInt64LE((symbol << 32n) | CALL_RELOCATION, RELOCATION_BYTES * index + 8);
  }
  const relocationsAt = aligned(aligned(symbolsAt + symbols.length) + strings.length);
  const entries = [
    [17, relocationsAt],
    [18, relocations.length],
    [19, RELOCATION_BYTES],
    [6, symbolsAt],
    [0, 0],
  ] as const;
  const dynamic = Buffer.alloc(16 * entries.length);
  for (const [index, [tag, value]] of entries.entries()) {
    dynamic.writeBigUInt64LE(BigInt(tag), 16 * index);
    dynamic.writeBigUInt64LE(BigInt(value), 16 * index + 8);
  }
  const loaded = { flags: 2n };
  return [
    {
      ...loaded,
      name: '.dynsym',
      type: DYNAMIC_SYMBOLS,
      data: symbols,
      link: symbolsNumber + 1,
      entryBytes: SYMBOL_BYTES,
    },
    { ...loaded, name: '.dynstr', type: STRINGS, data: strings },
    {
      ...loaded,
      name: '.rel.dyn',
      type: RELOCATIONS,
      data: relocations,
      link: symbolsNumber,
      entryBytes: RELOCATION_BYTES,
    },
    { ...loaded, name: '.dynamic', type: DYNAMIC, data: dynamic, link: symbolsNumber + 1, entryBytes: 16 },
  ];
}

const aligned = (at: number): number => Math.ceil(at / 8) * 8;

/** The file of some sections, one after the other behind the header. */
function linked(sections: readonly Section[], entry: number): Uint8Array {
  const places: number[] = [];
  let namesAt = HEADER_BYTES;
  for (const { data } of sections) {
    places.push(namesAt);
    namesAt = aligned(namesAt + data.length);
  }
  const names = Buffer.from(`\0${sections.map(({ name }) => `${name}\0`).join('')}.shstrtab\0`);
  const sectionsAt = aligned(namesAt + names.length);
  const file = Buffer.alloc(sectionsAt + (sections.length + 2) * SECTION_BYTES);
  file.set([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1], 0);
  file.writeUInt16LE(3, 16); // a shared object
  file.writeUInt16LE(247, 18); // for BPF
  file.writeUInt32LE(1, 20);
  file.writeBigUInt64LE(BigInt(entry), 24); // where it begins
  file.writeBigUInt64LE(BigInt(sectionsAt), 40);
  file.writeUInt16LE(HEADER_BYTES, 52);
  file.writeUInt16LE(56, 54);
  file.writeUInt16LE(SECTION_BYTES, 58);
  file.writeUInt16LE(sections.length + 2, 60);
  file.writeUInt16LE(sections.length + 1, 62); // the last holds the names
  const write = (
    index: number,
    { name, type, flags, data, link = 0, entryBytes = 0 }: Section,
    at: number,
  ) => {
    const start = sectionsAt + index * SECTION_BYTES;
    file.set(data, at);
    file.writeUInt32LE(names.indexOf(`\0${name}\0`) + 1, start);
    file.writeUInt32LE(type, start + 4);
    file.writeBigUInt64LE(flags, start + 8);
    file.writeBigUInt64LE(flags === 0n ? 0n : BigInt(at), start + 16);
    file.writeBigUInt64LE(BigInt(at), start + 24);
    file.writeBigUInt64LE(BigInt(data.length), start + 32);
    file.writeUInt32LE(link, start + 40);
    file.writeBigUInt64LE(8n, start + 48);
    file.writeBigUInt64LE(BigInt(entryBytes), start + 56);
  };
  for (const [index, section] of sections.entries()) write(index + 1, section, places[index] ?? 0);
  write(sections.length + 1, { name: '.shstrtab', type: STRINGS, flags: 0n, data: names }, namesAt);
  return new Uint8Array(file);
}
