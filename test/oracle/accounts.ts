/**
 * Accounts as the oracle takes them, and access to their fields. Nothing under test/oracle/ imports from src/ or
 * tools/, so that the oracle shares no mistakes with the code it checks.
 */
import bs58 from 'bs58';

/** One account at one moment. Snapshots omit missing accounts. */
export interface Account {
  readonly address: string;
  /** The program that owns it. */
  readonly owner: string;
  readonly lamports: bigint;
  readonly data: Uint8Array;
}

/** An account in the encoding of RPC answers and recorded facts. */
export interface EncodedAccount {
  readonly address: string;
  readonly owner: string;
  readonly lamports: string | number | bigint;
  /** Base64. */
  readonly data: string;
  /** `false` where a missing account is listed explicitly. */
  readonly exists?: boolean;
}

/** Parses encoded accounts; omits missing ones. */
export const accountsFrom = (written: readonly EncodedAccount[]): Account[] =>
  written
    .filter(({ exists }) => exists !== false)
    .map(({ address, owner, lamports, data }) => ({
      address,
      owner,
      lamports: BigInt(lamports),
      data: new Uint8Array(Buffer.from(data, 'base64')),
    }));

const KEY_BYTES = 32;
/** 32 zero bytes: the usual encoding of "no key", and the System program's address. */
export const NO_KEY = '11111111111111111111111111111111';

/** Little-endian reads at fixed offsets. Reading past the end throws a `RangeError`. */
export class Bytes {
  readonly #view: DataView;
  readonly #data: Uint8Array;

  constructor(data: Uint8Array) {
    this.#data = data;
    this.#view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  }

  get length(): number {
    return this.#data.length;
  }
  u8(at: number): number {
    return this.#view.getUint8(at);
  }
  u16(at: number): number {
    return this.#view.getUint16(at, true);
  }
  u32(at: number): number {
    return this.#view.getUint32(at, true);
  }
  u64(at: number): bigint {
    return this.#view.getBigUint64(at, true);
  }
  u128(at: number): bigint {
    return this.u64(at) | (this.u64(at + 8) << 64n);
  }
  u256(at: number): bigint {
    return this.u128(at) | (this.u128(at + 16) << 128n);
  }

  /** An address. */
  key(at: number): string {
    return bs58.encode(this.slice(at, KEY_BYTES));
  }

  /** An address, or `undefined` if all bytes are zero. */
  keyUnlessZero(at: number): string | undefined {
    const key = this.key(at);
    return key === NO_KEY ? undefined : key;
  }

  /** An address after a tag of `tagBytes` bytes that is 1 when the address is present. */
  optionalKey(at: number, tagBytes: 1 | 4): string | undefined {
    const tag = tagBytes === 1 ? this.u8(at) : this.u32(at);
    return tag === 1 ? this.key(at + tagBytes) : undefined;
  }

  slice(at: number, length: number): Uint8Array {
    if (at + length > this.#data.length) throw new RangeError(`no ${length} bytes at ${at}`);
    return this.#data.subarray(at, at + length);
  }

  /** A length-prefixed text, and the offset after it. */
  text(at: number): { readonly text: string; readonly end: number } {
    const length = this.u32(at);
    const bytes = this.slice(at + 4, length);
    return { text: Buffer.from(bytes).toString('utf8'), end: at + 4 + length };
  }

  /** Whether the data begins with these bytes. */
  startsWith(bytes: readonly number[]): boolean {
    return bytes.every((byte, i) => this.#data[i] === byte);
  }
}
