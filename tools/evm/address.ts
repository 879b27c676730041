/**
 * Notes and normalization of EVM addresses. The checksum library is slow to load, so it is loaded on first use.
 */

const ZERO = /^0[xX]0{40}$/;

/** Returns an address in EIP-55 form (C-FIELD-03). */
export async function checksummed(address: string): Promise<string> {
  const { getAddress } = await import('viem/utils');
  return getAddress(`0x${address.slice(2).toLowerCase()}`);
}

/** Returns a note on lookups of the zero address, which are allowed but meaningless (B50). */
export const zeroAddressNotes = (...addresses: readonly string[]): string[] =>
  addresses.some((address) => ZERO.test(address))
    ? ['The zero address has no owner: it marks the native coin or a missing value.']
    : [];
