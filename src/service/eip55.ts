/** EIP-55 checksums. The library is slow to load, so only calls of EVM endpoints load it. */

/** Converts the named fields of a request to EIP-55 form; they are validated EVM addresses in any case. */
export async function withChecksums(
  request: Readonly<Record<string, unknown>>,
  fields: readonly string[],
): Promise<Record<string, unknown>> {
  const { getAddress } = await import('viem/utils');
  const out: Record<string, unknown> = { ...request };
  for (const field of fields) {
    const value = out[field];
    // Lower case first: a wrong checksum or the prefix 0X is not an error here (C-FIELD-03).
    if (typeof value === 'string') out[field] = getAddress(`0x${value.slice(2).toLowerCase()}`);
  }
  return out;
}
