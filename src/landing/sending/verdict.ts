/**
 * The verdict "expired, never landed": the only thing that lets an intent be signed a second time. Height first,
 * status second, and both from views that are new enough; otherwise the verdict is `unknown`, and the amounts stay reserved (F31, F34,
 * F37).
 */
import type { SignatureStatus } from '../../rpc/types.ts';

/** What our own RPC said, in the order it was asked. */
export interface DeathViews {
  /** The finalized view that was asked for its height first. */
  readonly finalized: { readonly slot: number; readonly blockHeight: number };
  /** Then the signature, with full history search; `slot` is that view's own. */
  readonly status: { readonly slot: number; readonly value: SignatureStatus | undefined };
  /** Then the blockhash, at `finalized`. */
  readonly blockhash: { readonly slot: number; readonly valid: boolean };
}

export type Verdict = 'landed' | 'pending' | 'unknown' | 'expired';

/**
 * Judges one signed transaction. `deadHeight` is our own: the block height of the view that called its blockhash
 * valid, plus 150.
 */
export function verdict(deadHeight: number, views: DeathViews): Verdict {
  if (views.status.value !== undefined) return 'landed';
  if (!Number.isSafeInteger(views.finalized.blockHeight)) return 'unknown';
  if (views.finalized.blockHeight <= deadHeight) return 'pending';
  const newEnough = views.status.slot >= views.finalized.slot && views.blockhash.slot >= views.finalized.slot;
  return newEnough && !views.blockhash.valid ? 'expired' : 'unknown';
}

/** Blocks a blockhash can be used for. */
export const BLOCKHASH_BLOCKS = 150;
