/** Statement of a stored question, parsed from its text. */
import { approvalOfRow } from '../../src/ledger/sqlite/approvals.ts';
import type { ApprovalRow } from '../../src/ledger/types.ts';
import type { LineOf } from '../../src/statement/types.ts';

/** The lines of one kind. */
export const linesIn = <K extends 'pays' | 'receives' | 'claims' | 'controls' | 'earns'>(
  row: ApprovalRow,
  id: K,
): LineOf<K>[] => approvalOfRow(row).statement.lines.filter((line): line is LineOf<K> => line.id === id);

/** Returns the minimum receipt of an asset, in base units. */
export const minIn = (row: ApprovalRow, asset: string): bigint =>
  linesIn(row, 'receives').reduce((sum, line) => sum + (line.asset === asset ? line.atLeast : 0n), 0n);

/** Returns the maximum payment of an asset, in base units. */
export const maxOut = (row: ApprovalRow, asset: string): bigint =>
  linesIn(row, 'pays').reduce((sum, line) => sum + (line.asset === asset ? line.atMost : 0n), 0n);
