/** Where a ledger keeps that a plan was stopped for good: a note, which only ever takes away. */

const PREFIX = 'cancelled:';

/** The key of the note about a plan. */
export const cancelledNote = (planId: string): string => `${PREFIX}${planId}`;

/** The plan that a note's key is about; `undefined` for any other note. */
export const cancelledPlan = (key: string): string | undefined =>
  key.startsWith(PREFIX) ? key.slice(PREFIX.length) : undefined;

/** Its value. */
export const CANCELLED_NOTE = 'yes';
