/**
 * The verdict "expired, never landed": the only one that lets an intent be signed a second time. Height first, status
 * second, both from sufficiently new views; otherwise the verdict is `unknown` and the amounts stay reserved (F31,
 * F34, F37). `judge` in `track.ts` uses it.
 */
import type { JournalRow } from '../../ledger/types.ts';
import { isPublicNetwork } from '../../policy/file/networks.ts';
import type { SignatureStatus } from '../../rpc/types.ts';

/**
 * Blocks for which a blockhash is assumed valid, from signing on: `sign.ts` adds them to the block height of the view
 * that called the blockhash valid. The sum is the journaled dead height.
 */
export const BLOCKHASH_BLOCKS = 150;

/** Milliseconds for which a signature on a public network is never dead: 150 blocks take about 65 seconds. */
export const LIFETIME_MS = 90_000;

/**
 * Whether bytes may still land by the ledger's clock, whatever heights an RPC reports: one that reports wrong heights
 * would otherwise get a second signature while the first can land (T55).
 */
export const isYoung = (
  { network, createdAt }: Pick<JournalRow, 'network' | 'createdAt'>,
  now: number,
): boolean => isPublicNetwork(network) && Math.abs(now - createdAt) < LIFETIME_MS;

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
