/** Where a ledger keeps that a plan was stopped for good: a note, which only ever takes away. */

/** The key of the note about a plan. */
export const cancelledNote = (planId: string): string => `cancelled:${planId}`;

/** Its value. */
export const CANCELLED_NOTE = 'yes';
