/** `countersign audit show | verify | replay`: shows, verifies and replays recorded decisions. */

import type { DecisionRecord } from '../../ledger/types.ts';
import { explained } from '../../presentation/decisions/explain.ts';
import { decisionInputs } from '../../presentation/question/readView.ts';
import { SetupError } from '../../runtime/backends/backend.ts';
import type { Command, CommandInput } from '../command.ts';
import { columnsFor } from '../layout.ts';
import { decisionLines, decisionPage } from './audit/decisionLines.ts';
import { type History, limitOption, withHistory } from './history.ts';

const USAGE = 'countersign audit show [PLAN | DECISION] | verify [FILE] | replay [DECISION…] --policy FILE';
const USUAL_LIMIT = 20;

export const auditCommand: Command = async (input) => {
  const [verb] = input.words;
  if (verb === 'show') return withHistory(input, (history) => show(input, history));
  if (verb === 'verify') return (await import('./audit/verify.ts')).verifyCommand(input);
  if (verb === 'replay') return (await import('./audit/replay.ts')).replayCommand(input);
  throw new SetupError('The audit command needs to know what to do.', USAGE);
};

/** Shows all decisions, those of a plan, or one with every check. Newest first. */
async function show(input: CommandInput, history: History): Promise<number> {
  const { options, terminal, words } = input;
  const columns = columnsFor(terminal.columns);
  const [, id] = words;
  if (id !== undefined && /^decision-[0-9]+$/.test(id)) {
    const [record] = await history.ledger.rows('decisions', {
      before: Number(id.slice('decision-'.length)) + 1,
      limit: 1,
    });
    if (record?.id !== id) throw unknown(id);
    if (options.json === true) terminal.print(decisionJson(record));
    else {
      const facts = await decisionInputs(history.ledger, record);
      for (const line of decisionPage(record, facts, columns)) terminal.print(line);
    }
    return 0;
  }
  const limit = limitOption(input, USUAL_LIMIT);
  let shown = 0;
  for await (const record of history.decisions(id === undefined ? {} : { planId: id })) {
    if (shown === limit) {
      terminal.tell('Older decisions exist; use --limit N to see more.');
      return 0;
    }
    shown += 1;
    if (options.json === true) {
      terminal.print(decisionJson(record));
      continue;
    }
    if (shown > 1) terminal.print('');
    for (const line of decisionLines(record, columns)) terminal.print(line);
  }
  if (shown === 0 && id !== undefined) throw unknown(id);
  if (shown === 0) terminal.tell('No decision was recorded yet.');
  return 0;
}

/** Returns a record as JSON, with its explanation. */
const decisionJson = (record: DecisionRecord): string =>
  JSON.stringify({ ...record, decision: { ...record.decision, ...explained(record.decision) } });

const unknown = (id: string): SetupError =>
  new SetupError(`Nothing is recorded of ${id}.`, 'Run `countersign audit show` to list the records.');
