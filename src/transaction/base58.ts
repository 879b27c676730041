/**
 * Addresses as base58 text and as 32 bytes. Conversions are remembered in bounded maps: base58 is quadratic
 * and the same few dozen keys come back in every transaction.
 */
import bs58 from 'bs58';
import { remember } from '../base/remember.ts';
import { noncanonical } from './errors.ts';
import type { Address } from './types.ts';

const textByBytes = new Map<string, Address>();
const bytesByText = new Map<Address, Uint8Array>();

/** 32 bytes as base58 text. */
export function addressFromBytes(bytes: Uint8Array): Address {
  if (bytes.length !== 32) throw noncanonical(`an address has 32 bytes, not ${bytes.length}`);
  const key = Buffer.from(bytes.buffer, bytes.byteOffset, 32).toString('latin1');
  return textByBytes.get(key) ?? remember(textByBytes, key, bs58.encode(bytes));
}

/** 32 bytes within others as base58 text; `latin1` is all of those bytes, one character each. */
export function addressWithin(bytes: Uint8Array, latin1: string, at: number): Address {
  return textByBytes.get(latin1.slice(at, at + 32)) ?? addressFromBytes(bytes.subarray(at, at + 32));
}

/** Base58 text as a fresh 32-byte array. Throws NONCANONICAL_BYTES when it is no address. */
export function addressBytes(address: Address): Uint8Array {
  return sharedAddressBytes(address).slice();
}

/** The same without a copy, for code that only reads: what it returns is the cache's own. */
export function sharedAddressBytes(address: Address): Uint8Array {
  const known = bytesByText.get(address);
  if (known !== undefined) return known;
  // The longest base58 text of 32 bytes has 44 characters; decoding is quadratic, so look before decoding.
  const bytes = address.length >= 32 && address.length <= 44 ? bs58.decodeUnsafe(address) : undefined;
  if (bytes?.length !== 32) throw noncanonical('not a base58 address of 32 bytes');
  return remember(bytesByText, address, bytes);
}

/** Whether the text is the base58 form of exactly 32 bytes. */
export function isAddress(text: string): boolean {
  try {
    sharedAddressBytes(text);
    return true;
  } catch {
    return false;
  }
}
