/** What transactions that landed did to their wallet, as a ledger keeps it. */
import type { Address } from '../transaction/types.ts';

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

/** The moves of one signed transaction. */
export interface RecordedMoves extends Moves {
  readonly signature: string;
  readonly planId: string;
  readonly stageId: string;
  readonly wallet: Address;
  readonly network: string;
  /** When they were recorded, milliseconds since the epoch. */
  readonly recordedAt: number;
}
