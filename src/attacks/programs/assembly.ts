/**
 * Enough of an assembler to write a program of the chain by hand: fixed-width instructions, labels and calls of the
 * runtime by name. Attackers' programs are put together with it, so that none of them needs a compiler or ships a
 * binary.
 */
import { programFile, type RuntimeCall } from '../../sandbox/programs/programFile.ts';

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

/** Machine code, and where in it which function of the runtime is called. */
function assembled(lines: readonly Line[]): { code: Buffer; calls: RuntimeCall[] } {
  const places = new Map<string, number>();
  const operations: Operation[] = [];
  for (const line of lines) {
    if ('label' in line) places.set(line.label, operations.length);
    else operations.push(line);
  }
  const code = Buffer.alloc(operations.length * INSTRUCTION_BYTES);
  const calls: RuntimeCall[] = [];
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

/** The program file of some lines; it begins with the first. */
export const program = (lines: readonly Line[]): Uint8Array => programFile({ ...assembled(lines), entry: 0 });
