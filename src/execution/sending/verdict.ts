/**
 * The verdict "expired, never landed": the only one that lets an intent be signed a second time. Height first, status
 * second, both from sufficiently new views; otherwise the verdict is `unknown` and the amounts stay reserved (F31,
 * F34, F37). `judge` in `track.ts` uses it.
 */
import type { SignatureStatus } from '../../rpc/types.ts';

/**
 * Blocks for which a blockhash is assumed valid, from signing on: `sign.ts` adds them to the block height of the view
 * that called the blockhash valid. The sum is the journaled dead height.
 */
export const BLOCKHASH_BLOCKS = 150;

/** Answers of our own RPC, in the order of the requests. */
export interface DeathViews {
  /** The finalized view, read first for its height. */
  readonly finalized: { readonly slot: number; readonly blockHeight: number };
  /** Then the signature, with full history search; `slot` is the slot of that view. */
  readonly status: { readonly slot: number; readonly value: SignatureStatus | undefined };
  /** Then the blockhash, at `finalized`. */
  readonly blockhash: { readonly slot: number; readonly valid: boolean };
}

export type Verdict = 'landed' | 'pending' | 'unknown' | 'expired';

/**
 * Judges one signed transaction by its dead height, the last block height at which it could land, and the current
 * views of our RPC.
 */
export function verdict(deadHeight: number, views: DeathViews): Verdict {
  if (views.status.value !== undefined) return 'landed';
  if (!Number.isSafeInteger(views.finalized.blockHeight)) return 'unknown';
  if (views.finalized.blockHeight <= deadHeight) return 'pending';
  const newEnough = views.status.slot >= views.finalized.slot && views.blockhash.slot >= views.finalized.slot;
  return newEnough && !views.blockhash.valid ? 'expired' : 'unknown';
}
