/**
 * `countersign audit verify`: verifies the hash chains over every decision and its inputs. With a FILE it verifies
 * only that export of decisions; any other file fails.
 */
import { resolve } from 'node:path';
import { several } from '../../../base/format.ts';
import { chainWords, rowWords } from '../../../ledger/chains/chains.ts';
import type { ChainReport } from '../../../ledger/chains/verify.ts';
import type { Command } from '../../command.ts';
import { columnsFor, wrap } from '../../layout.ts';
import { withHistory } from '../history.ts';

export const verifyCommand: Command = (input) => {
  const [, file] = input.words;
  if (file !== undefined)
    return import('./export.ts').then(({ verifyExport }) => verifyExport(input, resolve(file)));
  return withHistory(input, async ({ ledger, damage }) => {
    const { options, terminal } = input;
    const report = await ledger.verifyDecisions();
    const { code, message } = damage ?? {};
    if (options.json === true) {
      terminal.print(
        JSON.stringify(damage === undefined ? report : { ...report, ledger: { code, message } }),
      );
    } else {
      const columns = columnsFor(terminal.columns);
      for (const line of reportLines(report)) for (const part of wrap(line, columns)) terminal.print(part);
    }
    return report.brokenAt === undefined && damage === undefined ? 0 : 1;
  });
};

const WHY: Readonly<Record<NonNullable<ChainReport['why']>, string>> = {
  missing: 'the row is missing or was inserted later',
  changed: 'the row was changed',
  'inputs changed': 'the stored inputs are not those of the decision',
  'inputs missing': 'the stored inputs are missing',
};

function reportLines(report: ChainReport): string[] {
  const { rows, chains, chain, place, brokenAt, why } = report;
  if (brokenAt === undefined) {
    return [
      chains > 1
        ? `The ${chains} chains of ${several(rows, 'decision')} are whole.`
        : `The chain of ${several(rows, 'decision')} is whole.`,
    ];
  }
  return [
    `The record breaks at ${rowWords(report)}: ${why === undefined ? 'it does not fit' : WHY[why]}.`,
    `${several(rows, 'decision')} before it ${rows === 1 ? 'is' : 'are'} whole. Nothing after it is proven${chains > 1 ? ', nor in the chains that come after it' : ''}.`,
    ...(chain === undefined || brokenAt === 0 ? [] : [`It is row ${place} of ${chainWords(chain)}.`]),
    'Stop signing under this ledger, keep it unchanged, and compare it with an earlier backup.',
  ];
}
