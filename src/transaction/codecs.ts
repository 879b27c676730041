/**
 * Codecs of instruction layouts. Decoding refuses non-canonical encodings.
 */
import { addressFromBytes } from './base58.ts';
import type { Reader, Writer } from './bytes.ts';
import { noncanonical } from './errors.ts';
import type { Address } from './types.ts';

/**
 * Reads and writes a value. `read` and `write` are methods, not properties, so that any codec is assignable to
 * `Codec<unknown>`; the types of layouts preserve the value types.
 */
export interface Codec<T> {
  read(reader: Reader): T;
  write(writer: Writer, value: T): void;
}

/** The value type of a codec. */
export type ValueOf<C> = C extends Codec<infer T> ? T : never;

export const u8: Codec<number> = { read: (r) => r.u8(), write: (w, v) => w.u8(v) };
export const u16: Codec<number> = { read: (r) => r.u16(), write: (w, v) => w.u16(v) };
export const u32: Codec<number> = { read: (r) => r.u32(), write: (w, v) => w.u32(v) };
export const u64: Codec<bigint> = { read: (r) => r.u64(), write: (w, v) => w.u64(v) };
export const u128: Codec<bigint> = { read: (r) => r.u128(), write: (w, v) => w.u128(v) };
/** A signed 16-bit number (interest in basis points may be negative). */
export const i16: Codec<number> = {
  read: (r) => (r.u16() << 16) >> 16,
  write: (w, v) => {
    if (!Number.isInteger(v) || v < -0x8000 || v > 0x7fff) throw new RangeError(`${v} is not an i16`);
    w.u16(v & 0xffff);
  },
};
export const address: Codec<Address> = {
  read: (r) => r.address(),
  write: (w, v) => w.address(v),
};
/** A byte that must be 0 or 1. */
export const bool: Codec<boolean> = {
  read: (r) => oneOf(['no', 'yes'] as const).read(r) === 'yes',
  write: (w, v) => w.u8(v ? 1 : 0),
};

/** A one-byte enum; unknown values are refused. */
export function oneOf<const Names extends readonly string[]>(names: Names): Codec<Names[number]> {
  return {
    read: (r) => {
      const name = names[r.u8()];
      if (name === undefined) throw noncanonical('unknown variant');
      return name;
    },
    write: (w, v) => w.u8(names.indexOf(v)),
  };
}

/** A one-byte tag: 0 for `null`, or 1 followed by the value. */
export function option<T>(item: Codec<T>): Codec<T | null> {
  return {
    read: (r) => (bool.read(r) ? item.read(r) : null),
    write: (w, v) => {
      bool.write(w, v !== null);
      if (v !== null) item.write(w, v);
    },
  };
}

/**
 * An optional address at the end of the data. Older clients pad an absent address with 32 zero bytes, which the token
 * programs ignore, so this padding is accepted.
 */
export const lastOptionalAddress: Codec<Address | null> = {
  read: (r) => {
    if (bool.read(r)) return r.address();
    if (r.remaining === 32 && r.take(32).some((byte) => byte !== 0)) {
      throw noncanonical('padding of an empty option is not zero');
    }
    return null;
  },
  write: (w, v) => option(address).write(w, v),
};

/** An address in which 32 zero bytes mean none, so that it cannot be the System program. */
export const nonZeroAddress: Codec<Address | null> = {
  read: (r) => {
    const bytes = r.take(32);
    return bytes.some((byte) => byte !== 0) ? addressFromBytes(bytes) : null;
  },
  write: (w, v) => (v === null ? w.push(new Uint8Array(32)) : w.address(v)),
};

const fatalUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function isAscii(bytes: Uint8Array): boolean {
  for (let i = 0; i < bytes.length; i++) if ((bytes[i] ?? 0) >= 0x80) return false;
  return true;
}

function utf8(bytes: Uint8Array): string {
  // Most texts are short and ASCII, for which TextDecoder is slow.
  if (isAscii(bytes)) {
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
  }
  try {
    return fatalUtf8.decode(bytes);
  } catch {
    throw noncanonical('text is not UTF-8');
  }
}

/** UTF-8 text at the end of the data. */
export const lastText: Codec<string> = {
  read: (r) => utf8(r.take(r.remaining)),
  write: (w, v) => w.push(Buffer.from(v)),
};

/** Returns a declared count of bytes or items; throws if it exceeds the remaining bytes. */
const within = (reader: Reader, claimed: bigint): number => {
  if (claimed > BigInt(reader.remaining)) throw noncanonical('the bytes end too early');
  return Number(claimed);
};
const count32: Codec<number> = { read: (r) => within(r, BigInt(r.u32())), write: (w, v) => w.u32(v) };
const count64: Codec<number> = { read: (r) => within(r, r.u64()), write: (w, v) => w.u64(BigInt(v)) };

const prefixedText = (count: Codec<number>): Codec<string> => ({
  read: (r) => utf8(r.take(count.read(r))),
  write: (w, v) => {
    count.write(w, Buffer.byteLength(v));
    w.push(Buffer.from(v));
  },
});
/** UTF-8 text with a 32-bit length (Borsh). */
export const text32 = prefixedText(count32);
/** UTF-8 text with a 64-bit length (the System program's seeds). */
export const text64 = prefixedText(count64);

const prefixedList =
  (count: Codec<number>) =>
  <T>(item: Codec<T>): Codec<readonly T[]> => ({
    read: (r) => r.each(count.read(r), item.read),
    write: (w, v) => {
      count.write(w, v.length);
      for (const value of v) item.write(w, value);
    },
  });
/** Items with a 64-bit count. */
export const list64 = prefixedList(count64);
/** Items with a 32-bit count (Borsh). */
export const list32 = prefixedList(count32);

/** Exactly `count` items, without a count prefix. */
export function fixedList<T>(item: Codec<T>, count: number): Codec<readonly T[]> {
  return {
    read: (r) => r.each(count, item.read),
    write: (w, v) => {
      if (v.length !== count) throw new RangeError(`${v.length} items are not ${count}`);
      for (const value of v) item.write(w, value);
    },
  };
}

/** Exactly `length` raw bytes. */
export function bytes(length: number): Codec<Uint8Array> {
  return {
    read: (r) => r.take(length),
    write: (w, v) => {
      if (v.length !== length) throw new RangeError(`${v.length} bytes are not ${length}`);
      w.push(v);
    },
  };
}

/** Raw bytes until the end of the data. */
export const lastBytes: Codec<Uint8Array> = {
  read: (r) => r.take(r.remaining),
  write: (w, v) => w.push(v),
};

/** The value type of a struct. */
export type StructOf<F> = { readonly [K in keyof F]: ValueOf<F[K]> };

/** Named values in byte order, which is the order of `fields`. */
export function struct<const F extends Readonly<Record<string, Codec<unknown>>>>(
  fields: F,
): Codec<StructOf<F>> {
  const entries = Object.entries(fields);
  return {
    read: (r) => {
      const value: Record<string, unknown> = {};
      for (const [name, codec] of entries) value[name] = codec.read(r);
      return value as StructOf<F>; // `fields` defines names and types
    },
    write: (w, v) => {
      const given: Readonly<Record<string, unknown>> = v;
      for (const [name, codec] of entries) codec.write(w, given[name]);
    },
  };
}

/** A tagged union with a one-byte tag (a Rust enum in Borsh). */
export function variants<const V extends Readonly<Record<string, Codec<unknown>>>>(
  shapes: V,
): Codec<{ readonly [K in keyof V]: { readonly variant: K; readonly value: ValueOf<V[K]> } }[keyof V]> {
  const entries = Object.entries(shapes);
  return {
    read: (r) => {
      const entry = entries[r.u8()];
      if (entry === undefined) throw noncanonical('unknown variant');
      const read: unknown = { variant: entry[0], value: entry[1].read(r) };
      // `shapes` defines names and types
      return read as { [K in keyof V]: { variant: K; value: ValueOf<V[K]> } }[keyof V];
    },
    write: (w, { variant, value }) => {
      const at = entries.findIndex(([name]) => name === variant);
      w.u8(at);
      entries[at]?.[1].write(w, value);
    },
  };
}

/** Items until the end of the data. */
export function lastItems<T>(item: Codec<T>): Codec<readonly T[]> {
  return {
    read: (r) => {
      const items: T[] = [];
      while (r.remaining > 0) items.push(item.read(r));
      return items;
    },
    write: (w, v) => {
      for (const value of v) item.write(w, value);
    },
  };
}
