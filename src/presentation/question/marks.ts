/** Texts that stand beside values of a question. */

/** Stands beside every value that was asked for and not read from bytes (T73). */
export const UNVERIFIED = 'requested, not verified';

/** Stands beside an amount of transactions that no request asked for, where not all of them is read. */
export const INCOMPLETE = 'without the unsupported instructions';
export type Mark = typeof UNVERIFIED | typeof INCOMPLETE;
