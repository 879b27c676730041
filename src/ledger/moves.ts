/** What transactions that landed did to their wallet, as a ledger keeps it. */

/** What a transaction that landed, or landed and failed, did to its wallet: as the chain shows it, never as it was asked. */
export interface Moves {
  readonly slot: number;
  /** Milliseconds since the epoch, of its block; absent where the RPC does not say. */
  readonly time?: number;
  /** What the wallet paid the network, in lamports; not among the changes. */
  readonly feeLamports: bigint;
  /** By asset: `SOL` for the lamports of the wallet's own account, else the mint; negative is what left. */
  readonly changes: readonly { readonly asset: string; readonly units: bigint; readonly decimals: number }[];
}

/** Moves as text, and back: amounts are decimal. */
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
