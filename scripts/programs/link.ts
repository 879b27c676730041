/**
 * Makes a program the chain can load from one object file of clang's BPF target: the code, with its read-only data
 * behind it, the addresses of that data written into the code, and calls of the runtime listed by name.
 */
import { CONSTANTS_BASE, constantsAt, programFile, type RuntimeCall } from './programFile.ts';

const RELOCATION_TABLE = 9;
const SYMBOL_TABLE = 2;
const NO_DATA = 8;
const ALLOCATED = 2n;
const SYMBOL_BYTES = 24;
const RELOCATION_BYTES = 16;
/** Kinds of relocation: an address in the two halves of a load, and a call. */
const [ADDRESS, CALL] = [1, 10] as const;

interface Section {
  readonly name: string;
  readonly type: number;
  readonly flags: bigint;
  readonly data: Buffer;
  /** The section a relocation table is about. */
  readonly info: number;
  readonly alignment: number;
}

interface Symbol {
  readonly name: string;
  /** 0: defined elsewhere, by the runtime. */
  readonly section: number;
  readonly value: number;
}

/** Links an object file whose code begins at `entrypoint`. Throws RangeError for what a program here may not have. */
export function linkObject(object: Uint8Array): Uint8Array {
  const file = Buffer.from(object);
  const sections = sectionsOf(file);
  const textAt = sections.findIndex(({ name }) => name === '.text');
  const text = sections[textAt];
  if (text === undefined) throw new RangeError('the object file has no code');
  const symbols = symbolsOf(sections);
  const entry = symbols.find(({ name, section }) => name === 'entrypoint' && section === textAt);
  if (entry === undefined) throw new RangeError('the object file has no entrypoint');

  const { constants, places } = layOutConstants(sections);
  const code = Buffer.from(text.data);
  const base = CONSTANTS_BASE + constantsAt(code.length);
  const calls: RuntimeCall[] = [];
  for (const { at, type, symbol } of relocationsOf(sections, textAt, symbols)) {
    if (type === CALL && symbol.section === 0) {
      code.writeUInt8(code.readUInt8(at + 1) & 0x0f, at + 1);
      code.writeInt32LE(-1, at + 4);
      calls.push({ at, name: symbol.name });
    } else if (type === ADDRESS) {
      const place = places.get(symbol.section);
      if (place === undefined) throw new RangeError(`${symbol.name} is not read-only data`);
      const address = BigInt(base + place + symbol.value) + readAddress(code, at);
      code.writeUInt32LE(Number(address & 0xffff_ffffn), at + 4);
      code.writeUInt32LE(Number(address >> 32n), at + 12);
    } else {
      throw new RangeError(`a relocation of type ${type} at ${symbol.name}: make every function static`);
    }
  }
  return programFile({ code: new Uint8Array(code), calls, entry: entry.value, constants });
}

const readAddress = (code: Buffer, at: number): bigint =>
  BigInt(code.readUInt32LE(at + 4)) | (BigInt(code.readUInt32LE(at + 12)) << 32n);

/** All read-only data one after the other, and where each section's begins. Data that can be written is refused. */
function layOutConstants(sections: readonly Section[]): { constants: Buffer; places: Map<number, number> } {
  const parts: Buffer[] = [];
  const places = new Map<number, number>();
  let end = 0;
  for (const [index, section] of sections.entries()) {
    if ((section.flags & ALLOCATED) === 0n || section.name === '.text' || section.data.length === 0) continue;
    if (!section.name.startsWith('.rodata')) throw new RangeError(`a program has no section ${section.name}`);
    const start = Math.ceil(end / section.alignment) * section.alignment;
    parts.push(Buffer.alloc(start - end), section.data);
    places.set(index, start);
    end = start + section.data.length;
  }
  return { constants: Buffer.concat(parts), places };
}

function sectionsOf(file: Buffer): Section[] {
  const table = Number(file.readBigUInt64LE(40));
  const entryBytes = file.readUInt16LE(58);
  const headers = Array.from({ length: file.readUInt16LE(60) }, (_, index) =>
    file.subarray(table + index * entryBytes, table + (index + 1) * entryBytes),
  );
  const dataOf = (header: Buffer): Buffer => {
    const [at, length] = [Number(header.readBigUInt64LE(24)), Number(header.readBigUInt64LE(32))];
    return header.readUInt32LE(4) === NO_DATA ? Buffer.alloc(length) : file.subarray(at, at + length);
  };
  const namesHeader = headers[file.readUInt16LE(62)];
  const names = namesHeader === undefined ? Buffer.alloc(0) : dataOf(namesHeader);
  return headers.map((header) => ({
    name: textAt(names, header.readUInt32LE(0)),
    type: header.readUInt32LE(4),
    flags: header.readBigUInt64LE(8),
    data: dataOf(header),
    info: header.readUInt32LE(44),
    alignment: Math.max(1, Number(header.readBigUInt64LE(48))),
  }));
}

function symbolsOf(sections: readonly Section[]): Symbol[] {
  const table = sections.find(({ type }) => type === SYMBOL_TABLE)?.data ?? Buffer.alloc(0);
  const names = sections.find(({ name }) => name === '.strtab')?.data ?? Buffer.alloc(0);
  return Array.from({ length: table.length / SYMBOL_BYTES }, (_, index) => {
    const entry = table.subarray(index * SYMBOL_BYTES);
    return {
      name: textAt(names, entry.readUInt32LE(0)),
      section: entry.readUInt16LE(6),
      value: Number(entry.readBigUInt64LE(8)),
    };
  });
}

function relocationsOf(sections: readonly Section[], of: number, symbols: readonly Symbol[]) {
  const data = sections.find(({ type, info }) => type === RELOCATION_TABLE && info === of)?.data;
  return Array.from({ length: (data?.length ?? 0) / RELOCATION_BYTES }, (_, index) => {
    const entry = data?.subarray(index * RELOCATION_BYTES) ?? Buffer.alloc(RELOCATION_BYTES);
    const symbol = symbols[entry.readUInt32LE(12)];
    if (symbol === undefined) throw new RangeError('a relocation names no symbol');
    return { at: Number(entry.readBigUInt64LE(0)), type: entry.readUInt32LE(8), symbol };
  });
}

function textAt(table: Buffer, at: number): string {
  const end = table.indexOf(0, at);
  return table.toString('latin1', at, end < 0 ? table.length : end);
}
