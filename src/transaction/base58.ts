/**
 * Conversions between base58 addresses and 32 bytes, cached in bounded maps: base58 is quadratic, and the same keys recur in
 * every transaction.
 */
import bs58 from 'bs58';
import { remember } from '../base/remember.ts';
import { noncanonical } from './errors.ts';
import type { Address } from './types.ts';

const textByBytes = new Map<string, Address>();
const bytesByText = new Map<Address, Uint8Array>();

/** Encodes 32 bytes as base58. Throws NONCANONICAL_BYTES for any other length. */
export function addressFromBytes(bytes: Uint8Array): Address {
  if (bytes.length !== 32) throw noncanonical(`an address has 32 bytes, not ${bytes.length}`);
  const key = Buffer.from(bytes.buffer, bytes.byteOffset, 32).toString('latin1');
  return textByBytes.get(key) ?? remember(textByBytes, key, bs58.encode(bytes));
}

/** Encodes 32 bytes at an offset as base58; `latin1` is the latin1 text of all bytes. */
export function addressWithin(bytes: Uint8Array, latin1: string, at: number): Address {
  return textByBytes.get(latin1.slice(at, at + 32)) ?? addressFromBytes(bytes.subarray(at, at + 32));
}

/** Decodes an address into a new 32-byte array. Throws NONCANONICAL_BYTES for an invalid address. */
export function addressBytes(address: Address): Uint8Array {
  return sharedAddressBytes(address).slice();
}

/** Decodes an address without a copy. The result belongs to the cache and must not be modified. */
export function sharedAddressBytes(address: Address): Uint8Array {
  const known = bytesByText.get(address);
  if (known !== undefined) return known;
  // Base58 of 32 bytes has at most 44 characters; decoding is quadratic, so check the length first.
  const bytes = address.length >= 32 && address.length <= 44 ? bs58.decodeUnsafe(address) : undefined;
  if (bytes?.length !== 32) throw noncanonical('not a base58 address of 32 bytes');
  return remember(bytesByText, address, bytes);
}

/** Whether a text is base58 of exactly 32 bytes. */
export function isAddress(text: string): boolean {
  try {
    sharedAddressBytes(text);
    return true;
  } catch {
    return false;
  }
}
