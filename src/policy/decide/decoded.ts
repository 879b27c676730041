/**
 * Stage bytes as read, kept for a while by their text. A plan's stages are looked at again and again: previewed,
 * reviewed, decided, and once more as siblings of every other stage. Reading is pure, so the same text is the same
 * transaction. Signatures are not part of this: they are verified anew in every decision.
 */
import { remember } from '../../base/remember.ts';
import { readTransaction } from '../../transaction/read.ts';
import type { DecodedTransaction } from '../../transaction/types.ts';
import { decodeWire } from '../../transaction/wire.ts';

/** A hundred-claimer plan has some fifteen stages; this keeps a few such plans. */
const KEPT = 64;
const kept = new Map<string, DecodedTransaction>();

/** The transaction of a stage's base64 text. Throws TransactionError for text that has not exactly one reading. */
export function readStage(text: string): DecodedTransaction {
  return kept.get(text) ?? remember(kept, text, readTransaction(decodeWire(text, 'base64')), KEPT);
}
