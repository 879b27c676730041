/**
 * Decodes, validates and encodes transaction messages in three formats.
 *
 *   legacy  header · accounts · blockhash · instructions
 *   v0      0x80 · the same · lookups
 *   v1      0x81 · header · config mask · blockhash · counts · accounts · config values ·
 *           instruction headers · instruction payloads
 */
import { type Reader, Writer } from './bytes.ts';
import { noncanonical, TransactionError } from './errors.ts';
import type { CompiledInstruction, DecodedTransaction, TableLookup, TransactionConfig } from './types.ts';

/** Decoded parts of a message. */
export type MessageParts = Pick<
  DecodedTransaction,
  | 'format'
  | 'numRequiredSignatures'
  | 'numReadonlySigned'
  | 'numReadonlyUnsigned'
  | 'staticAccounts'
  | 'blockhash'
  | 'instructions'
  | 'lookups'
  | 'config'
>;

const V0_PREFIX = 0x80;
const V1_PREFIX = 0x81;
/** Maximum accounts of a message (T51), and maximum top-level instructions. */
const MAX_ACCOUNTS = 64;
const MAX_INSTRUCTIONS = 64;
const MAX_V1_SIGNERS = 12;
/** Bits of a v1 config mask. The priority fee takes two 32-bit words and has two bits. */
const MASK = { priorityFee: 0b11, computeUnitLimit: 0b100, loadedData: 0b1000, heapSize: 0b10000 } as const;
const HEAP = { step: 1024, min: 32 * 1024, max: 256 * 1024 } as const;

/** Decodes a message and advances the reader past it. Throws NONCANONICAL_BYTES or FORMAT_MISMATCH. */
export function readMessage(reader: Reader): MessageParts {
  const prefix = reader.bytes[reader.offset];
  let parts: MessageParts;
  if (prefix === undefined) throw noncanonical('the message is empty');
  if (prefix < 0x80) parts = readLegacyOrV0(reader, 'legacy');
  else if (prefix === V0_PREFIX) parts = readLegacyOrV0(reader, 'v0');
  else if (prefix === V1_PREFIX) parts = readV1(reader);
  else throw new TransactionError('FORMAT_MISMATCH', `unknown message version ${prefix & 0x7f}`);
  checkMessage(parts);
  return parts;
}

function readHeader(reader: Reader) {
  const [numRequiredSignatures, numReadonlySigned, numReadonlyUnsigned] = [
    reader.u8(),
    reader.u8(),
    reader.u8(),
  ];
  return { numRequiredSignatures, numReadonlySigned, numReadonlyUnsigned };
}

function times<T>(count: number, read: () => T): T[] {
  const items: T[] = [];
  for (let i = 0; i < count; i++) items.push(read());
  return items;
}

function readLegacyOrV0(reader: Reader, format: 'legacy' | 'v0'): MessageParts {
  if (format === 'v0') reader.u8();
  const header = readHeader(reader);
  const staticAccounts = times(reader.shortLength(), () => reader.address());
  const blockhash = reader.address();
  const instructions = times(reader.shortLength(), (): CompiledInstruction => {
    const programIndex = reader.u8();
    const accountIndexes = Array.from(reader.take(reader.shortLength()));
    return { programIndex, accountIndexes, data: reader.take(reader.shortLength()) };
  });
  const lookups = times(format === 'v0' ? reader.shortLength() : 0, (): TableLookup => {
    const table = reader.address();
    const writableIndexes = Array.from(reader.take(reader.shortLength()));
    return { table, writableIndexes, readonlyIndexes: Array.from(reader.take(reader.shortLength())) };
  });
  return { format, ...header, staticAccounts, blockhash, instructions, lookups };
}

function readV1(reader: Reader): MessageParts {
  reader.u8();
  const header = readHeader(reader);
  const mask = reader.u32();
  const blockhash = reader.address();
  const [instructionCount, accountCount] = [reader.u8(), reader.u8()];
  const staticAccounts = times(accountCount, () => reader.address());
  const config = readConfig(reader, mask);
  const headers = times(instructionCount, () => ({
    programIndex: reader.u8(),
    accounts: reader.u8(),
    bytes: reader.u16(),
  }));
  const instructions = headers.map(({ programIndex, accounts, bytes }): CompiledInstruction => {
    const accountIndexes = Array.from(reader.take(accounts));
    return { programIndex, accountIndexes, data: reader.take(bytes) };
  });
  return { format: 'v1', ...header, staticAccounts, blockhash, instructions, lookups: [], config };
}

function readConfig(reader: Reader, mask: number): TransactionConfig {
  if (mask > 0b11111) throw noncanonical('the config mask has unknown bits');
  const feeBits = mask & MASK.priorityFee;
  if (feeBits !== 0 && feeBits !== MASK.priorityFee) throw noncanonical('half a priority fee is configured');
  return {
    ...(feeBits ? { priorityFeeLamports: reader.u64() } : {}),
    ...(mask & MASK.computeUnitLimit ? { computeUnitLimit: reader.u32() } : {}),
    ...(mask & MASK.loadedData ? { loadedAccountsDataSizeLimit: reader.u32() } : {}),
    ...(mask & MASK.heapSize ? { heapSize: reader.u32() } : {}),
  };
}

/** Validates the rules common to all formats. Throws NONCANONICAL_BYTES. The runtime would refuse most violations too. */
function checkMessage(parts: MessageParts): void {
  const { format, numRequiredSignatures, numReadonlySigned, numReadonlyUnsigned, staticAccounts } = parts;
  const refuseIf = (wrong: boolean, message: string) => {
    if (wrong) throw noncanonical(message);
  };
  refuseIf(numReadonlySigned >= numRequiredSignatures, 'no writable signer pays the fee');
  refuseIf(
    numRequiredSignatures + numReadonlyUnsigned > staticAccounts.length,
    'the header counts more accounts than there are',
  );
  refuseIf(new Set(staticAccounts).size !== staticAccounts.length, 'an account is listed twice');
  refuseIf(format === 'v1' && numRequiredSignatures > MAX_V1_SIGNERS, 'more than 12 signers');

  let accountCount = staticAccounts.length;
  for (const { writableIndexes, readonlyIndexes } of parts.lookups) {
    const indexes = [...writableIndexes, ...readonlyIndexes];
    refuseIf(indexes.length === 0, 'a lookup table is named but not used');
    refuseIf(new Set(indexes).size !== indexes.length, 'a table entry is used twice');
    accountCount += indexes.length;
  }
  const tables = parts.lookups.map((lookup) => lookup.table);
  refuseIf(new Set(tables).size !== tables.length, 'a lookup table is named twice');
  refuseIf(accountCount > MAX_ACCOUNTS, `${accountCount} accounts are more than 64`);

  refuseIf(parts.instructions.length > MAX_INSTRUCTIONS, 'more than 64 instructions');
  for (const { programIndex, accountIndexes } of parts.instructions) {
    refuseIf(programIndex === 0, 'the fee payer is used as a program');
    refuseIf(programIndex >= staticAccounts.length, 'a program is not among the static accounts');
    refuseIf(
      accountIndexes.some((index) => index >= accountCount),
      'an account index is out of range',
    );
  }

  const heap = parts.config?.heapSize;
  if (heap === undefined) return;
  refuseIf(heap % HEAP.step !== 0 || heap < HEAP.min || heap > HEAP.max, 'the heap size is not allowed');
}

/** Encodes a message. The inverse of `readMessage`. */
export function encodeMessage(parts: MessageParts): Uint8Array {
  const writer = new Writer();
  if (parts.format === 'v1') writeV1(writer, parts);
  else writeLegacyOrV0(writer, parts);
  return writer.finish();
}

function writeHeader(writer: Writer, parts: MessageParts): void {
  writer.u8(parts.numRequiredSignatures);
  writer.u8(parts.numReadonlySigned);
  writer.u8(parts.numReadonlyUnsigned);
}

function writeList(writer: Writer, bytes: ArrayLike<number>): void {
  writer.shortLength(bytes.length);
  writer.push(bytes);
}

function writeLegacyOrV0(writer: Writer, parts: MessageParts): void {
  if (parts.format === 'v0') writer.u8(V0_PREFIX);
  writeHeader(writer, parts);
  writer.shortLength(parts.staticAccounts.length);
  for (const account of parts.staticAccounts) writer.address(account);
  writer.address(parts.blockhash);
  writer.shortLength(parts.instructions.length);
  for (const instruction of parts.instructions) {
    writer.u8(instruction.programIndex);
    writeList(writer, instruction.accountIndexes);
    writeList(writer, instruction.data);
  }
  if (parts.format !== 'v0') return;
  writer.shortLength(parts.lookups.length);
  for (const lookup of parts.lookups) {
    writer.address(lookup.table);
    writeList(writer, lookup.writableIndexes);
    writeList(writer, lookup.readonlyIndexes);
  }
}

function writeV1(writer: Writer, parts: MessageParts): void {
  const { priorityFeeLamports, computeUnitLimit, loadedAccountsDataSizeLimit, heapSize } = parts.config ?? {};
  writer.u8(V1_PREFIX);
  writeHeader(writer, parts);
  writer.u32(
    (priorityFeeLamports === undefined ? 0 : MASK.priorityFee) |
      (computeUnitLimit === undefined ? 0 : MASK.computeUnitLimit) |
      (loadedAccountsDataSizeLimit === undefined ? 0 : MASK.loadedData) |
      (heapSize === undefined ? 0 : MASK.heapSize),
  );
  writer.address(parts.blockhash);
  writer.u8(parts.instructions.length);
  writer.u8(parts.staticAccounts.length);
  for (const account of parts.staticAccounts) writer.address(account);
  if (priorityFeeLamports !== undefined) writer.u64(priorityFeeLamports);
  for (const value of [computeUnitLimit, loadedAccountsDataSizeLimit, heapSize]) {
    if (value !== undefined) writer.u32(value);
  }
  for (const instruction of parts.instructions) {
    writer.u8(instruction.programIndex);
    writer.u8(instruction.accountIndexes.length);
    writer.u16(instruction.data.length);
  }
  for (const instruction of parts.instructions) {
    writer.push(instruction.accountIndexes);
    writer.push(instruction.data);
  }
}
