/** Parses positional JSON-RPC parameters. Throws `INVALID_PARAMS` with the parameter's name. */
import bs58 from 'bs58';
import { isAddress } from '../../src/transaction/base58.ts';
import type { Commitment } from '../chain/types.ts';
import { invalidParams } from './errors.ts';

export type Config = Readonly<Record<string, unknown>>;

export class Params {
  readonly #list: readonly unknown[];

  constructor(params: unknown) {
    if (params !== undefined && params !== null && !Array.isArray(params)) {
      throw invalidParams('Invalid params: expected an array.');
    }
    this.#list = Array.isArray(params) ? params : [];
  }

  string(index: number): string {
    const value = this.#list[index];
    if (typeof value !== 'string')
      throw invalidParams(`Invalid params: parameter ${index} must be a string.`);
    return value;
  }

  address(index: number): string {
    return addressIn(this.#list[index], `parameter ${index}`);
  }

  strings(index: number, most: number): string[] {
    return stringsIn(this.#list[index], `parameter ${index}`, most);
  }

  addresses(index: number, most: number): string[] {
    return this.strings(index, most).map((value) => addressIn(value, `parameter ${index}`));
  }

  signatures(index: number, most: number): string[] {
    return this.strings(index, most).map((value) => signatureIn(value, `parameter ${index}`));
  }

  signature(index: number): string {
    return signatureIn(this.#list[index], `parameter ${index}`);
  }

  /** A u64 that fits a number: slots, sizes, counts. */
  integer(index: number): number {
    return integerIn(this.#list[index], `parameter ${index}`);
  }

  /** A u64 of any size. */
  u64(index: number): bigint {
    return u64In(this.#list[index], `parameter ${index}`);
  }

  raw(index: number): unknown {
    return this.#list[index];
  }

  /** The options object at `index`; empty when it is absent. */
  config(index: number): Config {
    return configIn(this.#list[index], `parameter ${index}`);
  }
}

export function configIn(value: unknown, name: string): Config {
  if (value === undefined || value === null) return {};
  if (typeof value !== 'object' || Array.isArray(value))
    throw invalidParams(`Invalid params: ${name} must be an object.`);
  return { ...value };
}

export function addressIn(value: unknown, name: string): string {
  if (typeof value === 'string' && isAddress(value)) return value;
  throw invalidParams(`Invalid param: ${name} is not a base58 address of 32 bytes.`);
}

export function signatureIn(value: unknown, name: string): string {
  if (typeof value === 'string' && value.length <= 90 && bs58.decodeUnsafe(value)?.length === 64)
    return value;
  throw invalidParams(`Invalid param: ${name} is not a base58 signature of 64 bytes.`);
}

export function stringsIn(value: unknown, name: string, most: number): string[] {
  if (!Array.isArray(value) || !value.every((item): item is string => typeof item === 'string')) {
    throw invalidParams(`Invalid params: ${name} must be an array of strings.`);
  }
  if (value.length > most) throw invalidParams(`Too many inputs provided; max ${most}`);
  return value;
}

export function integerIn(value: unknown, name: string): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value;
  throw invalidParams(`Invalid params: ${name} must be a non-negative integer.`);
}

export function u64In(value: unknown, name: string): bigint {
  const big = typeof value === 'bigint' ? value : BigInt(integerIn(value, name));
  if (big >= 0n && big < 1n << 64n) return big;
  throw invalidParams(`Invalid params: ${name} must be a u64.`);
}

export function booleanIn(value: unknown, name: string): boolean {
  if (value === undefined || value === null) return false;
  if (typeof value === 'boolean') return value;
  throw invalidParams(`Invalid params: ${name} must be a boolean.`);
}

export function commitmentIn(value: unknown, fallback: Commitment = 'finalized'): Commitment {
  if (value === undefined || value === null) return fallback;
  if (value === 'processed' || value === 'confirmed' || value === 'finalized') return value;
  throw invalidParams('Invalid params: unknown commitment; use processed, confirmed or finalized.');
}

/** Decodes base58 or base64 text of at most `mostBytes`. */
export function bytesIn(text: string, encoding: unknown, mostBytes: number): Uint8Array {
  if (encoding === 'base64') {
    const bytes = Buffer.from(text, 'base64');
    if (bytes.toString('base64') !== text) throw invalidParams('invalid base64 encoding');
    return checkedSize(new Uint8Array(bytes), mostBytes, encoding);
  }
  if (encoding !== 'base58' && encoding !== undefined && encoding !== null) {
    throw invalidParams(`unsupported encoding: ${String(encoding)}. Supported encodings: base58, base64`);
  }
  // Base58 takes quadratic time and needs at most 1.37 characters a byte.
  if (text.length > mostBytes * 1.4)
    throw invalidParams(`base58 encoded text too large (max: ${mostBytes} bytes)`);
  const bytes = bs58.decodeUnsafe(text);
  if (bytes === undefined) throw invalidParams('invalid base58 encoding');
  return checkedSize(bytes, mostBytes, 'base58');
}

function checkedSize(bytes: Uint8Array, most: number, encoding: string): Uint8Array {
  if (bytes.length <= most) return bytes;
  throw invalidParams(`decoded ${encoding} too large: ${bytes.length} bytes (max: ${most} bytes)`);
}
