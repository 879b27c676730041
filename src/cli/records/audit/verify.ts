/**
 * `countersign audit verify [ARCHIVE…]`: walks the hash chains over every decision, and the facts beside it, in the
 * ledger and in its archives. Archives that were moved are named on the command line. With the file of `countersign export
 * decisions` it checks that file alone.
 */
import { closeSync, existsSync, openSync, readSync } from 'node:fs';
import { resolve } from 'node:path';
import { several } from '../../../base/words.ts';
import type { RecordReport } from '../../../ledger/archive/archives.ts';
import { chainWords, rowWords } from '../../../ledger/chains/chains.ts';
import { EXPORT_BEGINS } from '../../../ledger/decisionExport.ts';
import type { Command } from '../../command.ts';
import { columnsFor, wrap } from '../../layout.ts';
import { withHistory } from '../history.ts';

export const verifyCommand: Command = (input) => {
  const moved = input.words.slice(1).map((path) => resolve(path));
  const exported = moved.find(beginsAsExport);
  if (exported !== undefined)
    return import('./export.ts').then(({ verifyExport }) => verifyExport(input, exported));
  return withHistory(
    input,
    async ({ archives, damage }) => {
      const { options, terminal } = input;
      const report = await archives.verify();
      const { code, message } = damage ?? {};
      if (options.json === true) {
        terminal.print(
          JSON.stringify(damage === undefined ? report : { ...report, ledger: { code, message } }),
        );
      } else {
        const columns = columnsFor(terminal.columns);
        for (const line of said(report)) for (const part of wrap(line, columns)) terminal.print(part);
      }
      return whole(report) && damage === undefined ? 0 : 1;
    },
    moved,
  );
};

/** Whether a file is one of `countersign export decisions`; an archive is a database. */
function beginsAsExport(path: string): boolean {
  if (!existsSync(path)) return false;
  const file = openSync(path, 'r');
  try {
    const begin = Buffer.alloc(EXPORT_BEGINS.length);
    readSync(file, begin);
    return begin.toString() === EXPORT_BEGINS;
  } finally {
    closeSync(file);
  }
}

/** Whether all rows were read and are intact. Only the high-water mark shows rows missing at the end of a chain (T80). */
const whole = ({ brokenAt, damaged, elsewhere }: RecordReport): boolean =>
  brokenAt === undefined && damaged === undefined && elsewhere === 0;

const WHY: Readonly<Record<NonNullable<RecordReport['why']>, string>> = {
  missing: 'the row is missing, or was put in later',
  changed: 'the row was changed',
  'facts changed': 'the facts beside it are not those it was decided on',
  'facts missing': 'the facts beside it are missing',
};

function said(report: RecordReport): string[] {
  const { rows, chains, chain, place, brokenAt, why, archives, damaged, elsewhere } = report;
  const lines: string[] = [];
  if (brokenAt !== undefined) {
    lines.push(
      `The record breaks at ${rowWords(report)}: ${why === undefined ? 'it does not fit' : WHY[why]}.`,
      `${several(rows, 'decision')} before it ${rows === 1 ? 'is' : 'are'} whole. Nothing after it is proven${chains > 1 ? ', nor in the chains that come after it' : ''}.`,
      ...(chain === undefined || brokenAt === 0 ? [] : [`It is row ${place} of ${chainWords(chain)}.`]),
      'Sign nothing more under this ledger, keep it as it is, and compare it with a backup from before.',
    );
  }
  if (damaged !== undefined) lines.push(`Plan ${damaged.planId} is damaged in the archive ${damaged.file}.`);
  if (elsewhere > 0) {
    const files = archives.filter(({ found }) => !found).map(({ file }) => file);
    lines.push(
      `The facts of ${several(elsewhere, 'decision')} were not looked at: their archive is not there ` +
        `(${files.join(', ')}). Name the file if it was moved: countersign audit verify FILE.`,
    );
  }
  if (brokenAt !== undefined) return lines;
  const where = archives.length === 0 ? '' : `, ${several(archives.length, 'archive')} included`;
  return [
    ...lines,
    chains > 1
      ? `The ${chains} chains of ${several(rows, 'decision')} are whole${where}.`
      : `The chain of ${several(rows, 'decision')} is whole${where}.`,
  ];
}
