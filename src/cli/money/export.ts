/**
 * `countersign export decisions`: see records/audit/export.ts. `countersign export [--json]`: one row per change of
 * every plan, oldest first. The base units of an asset, summed over all rows of a wallet, equal the change of its
 * balance: fees are separate rows, and wrapped SOL is listed under its mint.
 */
import { resolve } from 'node:path';
import { decimal, SOL_DECIMALS, several } from '../../base/format.ts';
import { systemClock } from '../../clock.ts';
import type { RecordedMoves } from '../../ledger/plans/recordedMoves.ts';
import type { Activity, Period } from '../../presentation/history/activity.ts';
import { recordsIn } from '../../presentation/history/past.ts';
import { SetupError } from '../../runtime/backends/backend.ts';
import { writePrivateFile } from '../../secrets/privateFile.ts';
import { type Command, textOption } from '../command.ts';
import { shownId, withHistory } from '../records/history.ts';
import { periodOption } from './period.ts';

/** The columns, in order. */
const COLUMNS = [
  'time',
  'plan',
  'operation',
  'outcome',
  'why',
  'mode',
  'network',
  'wallet',
  'stage',
  'signature',
  'slot',
  'kind',
  'asset',
  'base_units',
  'decimals',
  'amount',
] as const;

/**
 * One row. `kind`: `change` and `fee` have an amount; `none` is a plan without changes; `unrecorded` a landed
 * transaction whose amounts are not known yet.
 */
type ExportRow = Readonly<Record<(typeof COLUMNS)[number], string>>;

export const exportCommand: Command = async (input) => {
  const { options, terminal, words } = input;
  if (words[0] === 'decisions') return (await import('../records/audit/export.ts')).exportDecisions(input);
  if (words.length > 0)
    throw new SetupError('Unknown export.', 'countersign export, or countersign export decisions');
  const period = periodOption(input, systemClock.now());
  return withHistory(input, async ({ ledger }) => {
    // A plan may continue after the period: its rows of the period still count.
    const found = await recordsIn(ledger, { from: period.from, until: Number.MAX_SAFE_INTEGER });
    const all = found.map(({ activity }) => activity);
    const rows = rowsOf(all, period);
    const text = options.json === true ? `${JSON.stringify(rows, undefined, 1)}\n` : csvOf(rows);
    const out = textOption(options, 'out');
    if (out === undefined) terminal.print(text.trimEnd());
    else {
      writePrivateFile(resolve(out), Buffer.from(text));
      terminal.print(resolve(out));
      terminal.tell(`${several(rows.length, 'row')} of ${several(all.length, 'plan')}.`);
    }
    const missing = rows.filter(({ kind }) => kind === 'unrecorded').length;
    if (missing > 0) {
      terminal.tell(`${several(missing, 'landed transaction')} not in the sums: not final yet.`);
    }
    return 0;
  });
};

/** Returns the rows of a period, oldest first. */
export function rowsOf(all: readonly Activity[], { from, until }: Period): ExportRow[] {
  const timed = all.flatMap((activity) => {
    const rows: { time: number; row: ExportRow }[] = [];
    const add = (time: number, row: Partial<ExportRow>) => {
      if (time >= from && time < until) rows.push({ time, row: { ...planCells(activity, time), ...row } });
    };
    for (const moves of activity.moves) {
      for (const cells of moveCells(moves)) add(moves.time ?? moves.recordedAt, cells);
    }
    for (const signature of activity.unrecorded) add(activity.at, { signature, kind: 'unrecorded' });
    if (activity.moves.length + activity.unrecorded.length === 0) add(activity.at, { kind: 'none' });
    return rows;
  });
  return timed.sort((a, b) => a.time - b.time).map(({ row }) => row);
}

function planCells(activity: Activity, time: number): ExportRow {
  const { planId, operation, outcome, why = '', mode, network, wallet } = activity;
  return {
    time: new Date(time).toISOString(),
    plan: shownId(planId),
    operation,
    outcome,
    why,
    mode,
    network,
    wallet,
    stage: '',
    signature: '',
    slot: '',
    kind: '',
    asset: '',
    base_units: '',
    decimals: '',
    amount: '',
  };
}

function moveCells({ stageId, signature, slot, feeLamports, changes }: RecordedMoves): Partial<ExportRow>[] {
  const place = { stage: shownId(stageId), signature, slot: `${slot}` };
  const cells = (kind: string, asset: string, units: bigint, decimals: number) => ({
    ...place,
    kind,
    asset,
    base_units: `${units}`,
    decimals: `${decimals}`,
    amount: plainDecimal(units, decimals),
  });
  return [
    cells('fee', 'SOL', -feeLamports, SOL_DECIMALS),
    ...changes.map(({ asset, units, decimals }) => cells('change', asset, units, decimals)),
  ];
}

/** Formats `-1234.5` without separators, for other programs. */
const plainDecimal = (units: bigint, decimals: number): string =>
  decimal(units, decimals).replaceAll(',', '');

/** Formats rows as CSV (RFC 4180) with a header. Text that a spreadsheet would run as a formula is escaped. */
function csvOf(rows: readonly ExportRow[]): string {
  const cell = (text: string): string => {
    const safe = /^[=+@\t\r]|^-(?!\d+(\.\d+)?$)/.test(text) ? `'${text}` : text;
    return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  };
  return [COLUMNS.join(','), ...rows.map((row) => COLUMNS.map((name) => cell(row[name])).join(','))]
    .map((line) => `${line}\r\n`)
    .join('');
}
