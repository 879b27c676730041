/** Labels of values in a question. */

/** Label of requested values that were not verified in the transaction (T73). */
export const UNVERIFIED = 'requested, not verified';

/** Label of amounts of transactions without a request, if not all instructions are supported. */
export const INCOMPLETE = 'without the unsupported instructions';
export type Mark = typeof UNVERIFIED | typeof INCOMPLETE;
