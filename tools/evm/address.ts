/**
 * Notes and normalisation for EVM addresses. The library behind the checksum is slow to load, so it is loaded by
 * the first call that needs it.
 */

const ZERO = /^0[xX]0{40}$/;

/** An address in EIP-55 form, whatever its casing was (C-FIELD-03). */
export async function checksummed(address: string): Promise<string> {
  const { getAddress } = await import('viem/utils');
  return getAddress(`0x${address.slice(2).toLowerCase()}`);
}

/** A lookup of the zero address is allowed, but its answer means little (B50). */
export const zeroAddressNotes = (...addresses: readonly string[]): string[] =>
  addresses.some((address) => ZERO.test(address))
    ? ['The zero address has no owner: it marks the native coin or a missing value.']
    : [];
