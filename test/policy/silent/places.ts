/** Offsets of the values in instruction or account data, and the alternative values of each. */
import { isOfType } from '../../../src/programs/account.ts';
import { ACCOUNT_LAYOUTS } from '../../../src/programs/accountLayouts.ts';
import { PROGRAMS } from '../../../src/programs/index.ts';
import type { EncodedInstruction } from '../../../src/programs/layout.ts';
import type { ProgramReader } from '../../../src/programs/program.ts';
import { addressBytes } from '../../../src/transaction/base58.ts';
import { Reader } from '../../../src/transaction/bytes.ts';
import { TOKEN_PROGRAMS } from '../../../src/transaction/programs.ts';
import { type Account, Bytes } from '../../oracle/accounts.ts';

/** A value: a little-endian number of 1 to 16 bytes, or an address. */
export interface Place {
  readonly at: number;
  readonly bytes: number;
  /** Within bytes the reader does not decode. */
  readonly raw?: true;
}
/** Data with one thing changed. */
export type Rewritten = readonly [what: string, data: Uint8Array];

const ADDRESS = 32;
/** Longer raw bytes are texts and lists, in which each byte is changed alone. */
const MAX_RAW = 128;

/** Records the offset of each value a codec reads. */
class Tracer extends Reader {
  readonly places: Place[] = [];
  #note<T>(bytes: number, read: () => T): T {
    const [at, before] = [this.offset, this.places.length];
    const value = read();
    this.places.length = before;
    this.places.push({ at, bytes });
    return value;
  }
  override u8(): number {
    return this.#note(1, () => super.u8());
  }
  override u16(): number {
    return this.#note(2, () => super.u16());
  }
  override u32(): number {
    return this.#note(4, () => super.u32());
  }
  override u64(): bigint {
    return this.#note(8, () => super.u64());
  }
  override u128(): bigint {
    return this.#note(16, () => super.u128());
  }
  override address(): string {
    return this.#note(ADDRESS, () => super.address());
  }
  /** Raw bytes: records each byte, and for short ones the numbers and addresses they may contain. */
  override take(length: number): Uint8Array {
    const start = this.offset;
    const taken = super.take(length);
    const windows = length <= MAX_RAW ? [1, 2, 4, 8, ADDRESS] : [1];
    for (let at = start; at < start + length; at += 1)
      for (const bytes of windows)
        if (at + bytes <= start + length) this.places.push({ at, bytes, raw: true });
    return taken;
  }
}

function traced(data: Uint8Array, from: number, read: (reader: Reader) => void): Place[] {
  const tracer = new Tracer(data, from);
  try {
    read(tracer);
  } catch {
    // The remaining bytes have no place.
  }
  return tracer.places;
}

const READERS: readonly ProgramReader[] = PROGRAMS;
const begins = (data: Uint8Array, first: Uint8Array) => first.every((byte, i) => data[i] === byte);

/** Returns the layout of an instruction, or `undefined` if no reader knows it. */
export const layoutOf = ({ programAddress, data }: EncodedInstruction) =>
  READERS.flatMap(({ layouts }) => layouts).find(
    (each) => each.programs.includes(programAddress) && begins(data, each.discriminator),
  );

/** Returns the values in the data of an instruction. */
export function placesOfInstruction(one: EncodedInstruction): Place[] {
  const layout = layoutOf(one);
  if (layout === undefined) return traced(one.data, 0, (reader) => reader.take(one.data.length));
  return traced(one.data, layout.discriminator.length, (reader) => {
    for (const [, codec] of layout.fields) codec.read(reader);
  });
}

const placed = (...lengths: readonly number[]): Place[] =>
  lengths.map((bytes, i) => ({ at: lengths.slice(0, i).reduce((sum, each) => sum + each, 0), bytes }));
/** Authority, supply, decimals, initialized, freeze authority. */
const MINT = placed(4, 32, 8, 1, 1, 4, 32);
/** Mint, owner, amount, delegate, state, native, delegated amount, close authority. */
const TOKENS = placed(32, 32, 8, 4, 32, 1, 4, 8, 8, 4, 32);
const [MINT_BYTES, TOKENS_BYTES, EXTENSIONS_AT] = [82, 165, 166];

/** Returns the values in the data of a supported account; empty for any other. */
export function placesOfAccount(account: Account): Place[] {
  const { owner, data } = account;
  if (TOKEN_PROGRAMS.includes(owner)) {
    const isMint = data.length === MINT_BYTES || data[TOKENS_BYTES] === 1;
    const rest = traced(data, Math.min(EXTENSIONS_AT, data.length), (reader) =>
      reader.take(reader.remaining),
    );
    return [...(isMint ? MINT : TOKENS), ...rest];
  }
  const layout = ACCOUNT_LAYOUTS.find((each) => isOfType(each, account));
  return layout === undefined
    ? []
    : traced(data, layout.discriminator.length, (reader) => layout.codec.read(reader));
}

/** Returns other values of a number: extremes, neighbours, other enum variants, distant ones. */
function numbers(was: bigint, bytes: number, isRaw: boolean): bigint[] {
  const max = (1n << BigInt(8 * bytes)) - 1n;
  const far = isRaw ? [] : [was / 2n, was * 2n, was * 10n];
  const variants = bytes === 1 && !isRaw ? [2n, 3n, 4n, 5n] : [];
  const all = [0n, 1n, max, was + 1n, was - 1n, ...far, ...variants];
  return [...new Set(all)].filter((value) => value >= 0n && value <= max && value !== was);
}

function littleEnd(value: bigint, bytes: number): Uint8Array {
  return Uint8Array.from({ length: bytes }, (_, i) => Number((value >> BigInt(8 * i)) & 0xffn));
}

/** Replaces bytes at an offset of the data. */
export function put(data: Uint8Array, at: number, bytes: Uint8Array): Uint8Array {
  const changed = Uint8Array.from(data);
  changed.set(bytes, at);
  return changed;
}

/** Replaces the value at each place in turn by other numbers, the given addresses, or an option with an address. */
export function rewrites(
  data: Uint8Array,
  places: readonly Place[],
  addresses: readonly string[],
): Rewritten[] {
  const read = new Bytes(data);
  return places.flatMap(({ at, bytes, raw }, i): Rewritten[] => {
    if (bytes !== ADDRESS) {
      const was = [...read.slice(at, bytes)].reduceRight((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
      return numbers(was, bytes, raw === true).map((value) => [
        `${bytes} at ${at} is ${value}, was ${was}`,
        put(data, at, littleEnd(value, bytes)),
      ]);
    }
    const tag = places[i - 1];
    const before = tag !== undefined && tag.bytes <= 4 && tag.at + tag.bytes === at ? tag : undefined;
    return addresses
      .filter((address) => address !== read.key(at))
      .flatMap((address): Rewritten[] => {
        const changed = put(data, at, addressBytes(address));
        const label = `address at ${at} is ${address}`;
        if (before === undefined) return [[label, changed]];
        const some = put(changed, before.at, littleEnd(1n, before.bytes));
        return [
          [label, changed],
          [`${label}, and there`, some],
        ];
      });
  });
}

/** Replaces an address wherever it occurs; returns the same data if it does not. */
export function replacedIn(data: Uint8Array, from: string, to: string): Uint8Array {
  const found = Buffer.from(data);
  const old = Buffer.from(addressBytes(from));
  let at = found.indexOf(old);
  if (at < 0) return data;
  for (; at >= 0; at = found.indexOf(old, at + 1)) found.set(addressBytes(to), at);
  return Uint8Array.from(found);
}
