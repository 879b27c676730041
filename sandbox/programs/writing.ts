/** Builds instruction data and accounts of Anchor programs. */

import type { EncodedInstruction } from '../../src/programs/instructions.ts';
import { Writer } from '../../src/transaction/bytes.ts';
import type { Address } from '../../src/transaction/types.ts';
import { eventAuthority } from './addresses.ts';

/** Use of an account: readonly, writable, signer, or writable signer. */
export type Use = 'r' | 'w' | 's' | 'ws';

/** An account of an instruction; an absent optional account is `undefined` and encoded as the program's address. */
export type Named = readonly [address: Address | undefined, use: Use];

/** Builds an instruction. */
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

/** Builds an instruction whose accounts end with the event authority and the program. */
export const eventInstruction = (
  program: Address,
  data: Uint8Array,
  accounts: readonly Named[],
  remaining: readonly Named[] = [],
): EncodedInstruction =>
  instruction(program, data, [...accounts, [eventAuthority(program), 'r'], [program, 'r'], ...remaining]);

/** Encodes numbers and addresses in little-endian order. */
export class Bytes {
  readonly #writer = new Writer();

  /** Starts with an optional discriminator. */
  constructor(hex = '') {
    this.#writer.push(Buffer.from(hex, 'hex'));
  }

  #each<T>(values: readonly T[], write: (value: T) => void): this {
    for (const value of values) write(value);
    return this;
  }

  u8(...values: readonly number[]): this {
    return this.#each(values, (value) => this.#writer.u8(value));
  }

  bool(value: boolean): this {
    return this.u8(value ? 1 : 0);
  }

  u16(...values: readonly number[]): this {
    return this.#each(values, (value) => this.#writer.u16(value));
  }

  u32(value: number): this {
    return this.#each([value], (each) => this.#writer.u32(each));
  }

  u64(...values: readonly bigint[]): this {
    return this.#each(values, (value) => this.#writer.u64(value));
  }

  u128(...values: readonly bigint[]): this {
    return this.#each(values, (value) => this.#writer.u128(value));
  }

  address(value: Address): this {
    return this.#each([value], (each) => this.#writer.address(each));
  }

  raw(bytes: Uint8Array): this {
    return this.#each([bytes], (each) => this.#writer.push(each));
  }

  /** A length-prefixed list of 16-bit numbers. */
  list16(values: readonly number[]): this {
    return this.u32(values.length).u16(...values);
  }

  done(): Uint8Array {
    return this.#writer.finish();
  }
}
