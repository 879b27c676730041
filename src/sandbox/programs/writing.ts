/** Writes instruction data and accounts the way Anchor programs read them. */

import type { EncodedInstruction } from '../../programs/instructions.ts';
import { addressBytes } from '../../transaction/base58.ts';
import type { Address } from '../../transaction/types.ts';
import { eventAuthority } from './addresses.ts';

/** How an account is used: read, written, signing, or both. */
type Use = 'r' | 'w' | 's' | 'ws';

/** An account of an instruction; an absent optional one is `undefined`, and the program's own address stands there. */
export type Named = readonly [address: Address | undefined, use: Use];

/** An instruction from its discriminator (hex) and arguments. */
export function instruction(
  programAddress: Address,
  data: Uint8Array,
  accounts: readonly Named[],
): EncodedInstruction {
  return {
    programAddress,
    accounts: accounts.map(([address, use]) =>
      address === undefined
        ? { address: programAddress, signer: false, writable: false }
        : { address, signer: use.includes('s'), writable: use.includes('w') },
    ),
    data,
  };
}

/** An instruction of a program that ends its accounts with its event authority and itself. */
export const eventInstruction = (
  program: Address,
  data: Uint8Array,
  accounts: readonly Named[],
  remaining: readonly Named[] = [],
): EncodedInstruction =>
  instruction(program, data, [...accounts, [eventAuthority(program), 'r'], [program, 'r'], ...remaining]);

/** Numbers, texts and addresses, one after the other, little end first. */
export class Bytes {
  readonly #parts: Uint8Array[] = [];

  /** Begins with a discriminator, or with nothing. */
  constructor(hex = '') {
    this.#parts.push(Buffer.from(hex, 'hex'));
  }

  #number(value: bigint, size: number): this {
    const bytes = new Uint8Array(size);
    for (let i = 0; i < size; i += 1) bytes[i] = Number((value >> BigInt(8 * i)) & 0xffn);
    if (value < 0n || value >> BigInt(8 * size) !== 0n) throw new RangeError(`${value} in ${size} bytes`);
    this.#parts.push(bytes);
    return this;
  }

  u8(...values: readonly number[]): this {
    for (const value of values) this.#number(BigInt(value), 1);
    return this;
  }

  bool(value: boolean): this {
    return this.u8(value ? 1 : 0);
  }

  u16(...values: readonly number[]): this {
    for (const value of values) this.#number(BigInt(value), 2);
    return this;
  }

  u32(value: number): this {
    return this.#number(BigInt(value), 4);
  }

  u64(...values: readonly bigint[]): this {
    for (const value of values) this.#number(value, 8);
    return this;
  }

  u128(...values: readonly bigint[]): this {
    for (const value of values) this.#number(value, 16);
    return this;
  }

  text(value: string): this {
    const bytes = Buffer.from(value, 'utf8');
    this.u32(bytes.length);
    return this.raw(bytes);
  }

  address(value: Address): this {
    return this.raw(addressBytes(value));
  }

  raw(bytes: Uint8Array): this {
    this.#parts.push(bytes);
    return this;
  }

  /** A list of 16-bit numbers with its length before it. */
  list16(values: readonly number[]): this {
    return this.u32(values.length).u16(...values);
  }

  /** A value that may be absent. */
  option<T>(value: T | undefined, write: (bytes: this, value: T) => void): this {
    this.bool(value !== undefined);
    if (value !== undefined) write(this, value);
    return this;
  }

  done(): Uint8Array {
    return new Uint8Array(Buffer.concat(this.#parts));
  }
}
