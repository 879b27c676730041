/** Balance changes of landed transactions, and their stored form. */

/** Balance changes of a wallet by a landed or failed transaction, from the chain. */
export interface Moves {
  readonly slot: number;
  /** Block time in milliseconds since the epoch; absent if the RPC has none. */
  readonly time?: number;
  /** The network fee in lamports, not included in the changes. */
  readonly feeLamports: bigint;
  /** By asset: `SOL` for the wallet's own lamports, else the mint. Outflows are negative. */
  readonly changes: readonly { readonly asset: string; readonly units: bigint; readonly decimals: number }[];
}

/** Serializes moves as JSON with decimal amounts. */
export const movesText = (moves: Moves): string =>
  JSON.stringify(moves, (_, value) => (typeof value === 'bigint' ? `${value}` : value));
export function movesOfText(text: string): Moves {
  const { feeLamports, changes, ...rest } = JSON.parse(text);
  return {
    ...rest,
    feeLamports: BigInt(feeLamports),
    changes: changes.map((change: { units: string }) => ({ ...change, units: BigInt(change.units) })),
  };
}
