/**
 * Enough of an assembler and a linker to write a program of the chain by hand: fixed-width instructions, labels, calls
 * of the runtime by name, and the ELF file a loader takes. Attackers' programs are put together with it, so that none
 * of them needs a compiler or ships a binary.
 */

/** An instruction, or a label that jumps can name. */
export type Line = { readonly label: string } | Operation;

interface Operation {
  readonly code: number;
  readonly to?: number;
  readonly from?: number;
  readonly offset?: number | string;
  readonly value?: number;
  /** A function of the runtime, by its name. */
  readonly call?: string;
}

const ADD = { value: 0x07, register: 0x0f };
export const label = (name: string): Line => ({ label: name });
/** `to = from`, `to = value`. */
export const move = (to: number, from: number): Line => ({ code: 0xbf, to, from });
export const set = (to: number, value: number): Line => ({ code: 0xb7, to, value });
export const add = (to: number, value: number): Line => ({ code: ADD.value, to, value });
export const addRegister = (to: number, from: number): Line => ({ code: ADD.register, to, from });
export const multiply = (to: number, value: number): Line => ({ code: 0x27, to, value });
export const and = (to: number, value: number): Line => ({ code: 0x57, to, value });
/** `to = [from + offset]`, one byte or eight. */
export const loadByte = (to: number, from: number, offset: number): Line => ({
  code: 0x71,
  to,
  from,
  offset,
});
export const load = (to: number, from: number, offset: number): Line => ({ code: 0x79, to, from, offset });
/** `[to + offset] = from`, one byte or eight. */
export const storeByte = (to: number, offset: number, from: number): Line => ({
  code: 0x73,
  to,
  from,
  offset,
});
export const store = (to: number, offset: number, from: number): Line => ({ code: 0x7b, to, from, offset });
export const jump = (target: string): Line => ({ code: 0x05, offset: target });
export const jumpIfEqual = (to: number, from: number, target: string): Line => ({
  code: 0x1d,
  to,
  from,
  offset: target,
});
export const jumpUnless = (to: number, value: number, target: string): Line => ({
  code: 0x55,
  to,
  value,
  offset: target,
});
export const call = (name: string): Line => ({ code: 0x85, value: -1, call: name });
export const exit: Line = { code: 0x95 };

const INSTRUCTION_BYTES = 8;
const HEADER_BYTES = 64;
const SECTION_BYTES = 64;
const SYMBOL_BYTES = 24;
const RELOCATION_BYTES = 16;
const CALL_RELOCATION = 10n;

/** Machine code, and where in it which function of the runtime is called. */
function assembled(lines: readonly Line[]): { code: Buffer; calls: { at: number; name: string }[] } {
  const places = new Map<string, number>();
  const operations: Operation[] = [];
  for (const line of lines) {
    if ('label' in line) places.set(line.label, operations.length);
    else operations.push(line);
  }
  const code = Buffer.alloc(operations.length * INSTRUCTION_BYTES);
  const calls: { at: number; name: string }[] = [];
  for (const [
    index,
    { code: opcode, to = 0, from = 0, offset = 0, value = 0, call: name },
  ] of operations.entries()) {
    const at = index * INSTRUCTION_BYTES;
    const distance = typeof offset === 'number' ? offset : placeOf(places, offset) - index - 1;
    code.writeUInt8(opcode, at);
    code.writeUInt8(to | (from << 4), at + 1);
    code.writeInt16LE(distance, at + 2);
    code.writeInt32LE(value, at + 4);
    if (name !== undefined) calls.push({ at, name });
  }
  return { code, calls };
}

function placeOf(places: ReadonlyMap<string, number>, name: string): number {
  const place = places.get(name);
  if (place === undefined) throw new RangeError(`no label ${name}`);
  return place;
}

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

/** The ELF file of a program. */
export function program(lines: readonly Line[]): Uint8Array {
  const { code, calls } = assembled(lines);
  const text: Section = { name: '.text', type: PROGRAM_BITS, flags: 6n, data: code };
  return linked(calls.length === 0 ? [text] : [text, ...dynamicSections(code.length, calls)]);
}

/** What a loader needs to find the functions that are called: their names, and the places of the calls. */
function dynamicSections(codeBytes: number, calls: readonly { at: number; name: string }[]): Section[] {
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
  const symbolsAt = aligned(HEADER_BYTES + codeBytes);
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
    { ...loaded, name: '.dynsym', type: DYNAMIC_SYMBOLS, data: symbols, link: 3, entryBytes: SYMBOL_BYTES },
    { ...loaded, name: '.dynstr', type: STRINGS, data: strings },
    {
      ...loaded,
      name: '.rel.dyn',
      type: RELOCATIONS,
      data: relocations,
      link: 2,
      entryBytes: RELOCATION_BYTES,
    },
    { ...loaded, name: '.dynamic', type: DYNAMIC, data: dynamic, link: 3, entryBytes: 16 },
  ];
}

const aligned = (at: number): number => Math.ceil(at / 8) * 8;

/** The file of some sections, one after the other behind the header. */
function linked(sections: readonly Section[]): Uint8Array {
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
  file.writeBigUInt64LE(BigInt(HEADER_BYTES), 24); // where it begins
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
