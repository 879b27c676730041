/**
 * The smallest program there is: it returns success and does nothing else. An ELF file written by hand, so that an
 * attack can begin with harmless code without shipping a binary.
 */

const HEADER_BYTES = 64;
const SECTION_BYTES = 64;
/** `r0 = 0`, `exit`. */
const CODE = Uint8Array.of(0xb7, 0, 0, 0, 0, 0, 0, 0, 0x95, 0, 0, 0, 0, 0, 0, 0);
const NAMES = Buffer.from('\0.text\0.shstrtab\0');

/** The program's ELF file. */
export function harmlessProgram(): Uint8Array {
  const codeAt = HEADER_BYTES;
  const namesAt = codeAt + CODE.length;
  const sectionsAt = Math.ceil((namesAt + NAMES.length) / 8) * 8;
  const file = Buffer.alloc(sectionsAt + 3 * SECTION_BYTES);
  file.set([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1], 0);
  file.writeUInt16LE(3, 16); // a shared object
  file.writeUInt16LE(247, 18); // for BPF
  file.writeUInt32LE(1, 20);
  file.writeBigUInt64LE(BigInt(codeAt), 24); // where it begins
  file.writeBigUInt64LE(BigInt(sectionsAt), 40);
  file.writeUInt16LE(HEADER_BYTES, 52);
  file.writeUInt16LE(56, 54);
  file.writeUInt16LE(SECTION_BYTES, 58);
  file.writeUInt16LE(3, 60); // sections
  file.writeUInt16LE(2, 62); // of which the third holds the names
  file.set(CODE, codeAt);
  file.set(NAMES, namesAt);
  const section = (index: number, name: number, type: number, flags: bigint, at: number, size: number) => {
    const start = sectionsAt + index * SECTION_BYTES;
    file.writeUInt32LE(name, start);
    file.writeUInt32LE(type, start + 4);
    file.writeBigUInt64LE(flags, start + 8);
    file.writeBigUInt64LE(flags === 0n ? 0n : BigInt(at), start + 16);
    file.writeBigUInt64LE(BigInt(at), start + 24);
    file.writeBigUInt64LE(BigInt(size), start + 32);
    file.writeBigUInt64LE(1n, start + 48);
  };
  section(1, 1, 1, 6n, codeAt, CODE.length);
  section(2, 7, 3, 0n, namesAt, NAMES.length);
  return new Uint8Array(file);
}
