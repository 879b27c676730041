/** Balance changes of landed transactions, for the history. */
import type { Moves } from '../moves.ts';
import type { JournalRow } from '../types.ts';

/** The moves of one signed transaction. */
export interface RecordedMoves
  extends Moves,
    Pick<JournalRow, 'signature' | 'planId' | 'stageId' | 'wallet' | 'network'> {
  /** When they were recorded, milliseconds since the epoch. */
  readonly recordedAt: number;
}

/** Returns the balance changes of signed transactions, in the order they landed. */
export const movesIn = (rows: readonly JournalRow[]): RecordedMoves[] =>
  rows
    .flatMap(({ moves, signature, planId, stageId, wallet, network, updatedAt: recordedAt }) =>
      moves === undefined ? [] : [{ ...moves, signature, planId, stageId, wallet, network, recordedAt }],
    )
    .sort((a, b) => a.slot - b.slot || a.recordedAt - b.recordedAt);
