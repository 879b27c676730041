/** EIP-55 checksums. The library behind them is slow to load, so only calls of EVM endpoints load it. */

/** Writes the named fields of a request in EIP-55 form; they were checked to be EVM addresses in some casing. */
export async function withChecksums(
  request: Readonly<Record<string, unknown>>,
  fields: readonly string[],
): Promise<Record<string, unknown>> {
  const { getAddress } = await import('viem/utils');
  const out: Record<string, unknown> = { ...request };
  for (const field of fields) {
    const value = out[field];
    // Lower case first: a wrong checksum, or the prefix 0X, is not an error here (C-FIELD-03).
    if (typeof value === 'string') out[field] = getAddress(`0x${value.slice(2).toLowerCase()}`);
  }
  return out;
}
