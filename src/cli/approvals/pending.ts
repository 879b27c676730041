/**
 * `countersign pending`: lists open questions and how to answer them; with an ID, shows one question and its outcome.
 */

import { duration } from '../../base/format.ts';
import { allFrozen } from '../../ledger/frozen.ts';
import { readHandle } from '../../page/http/launchFile.ts';
import { readQuestion } from '../../page/state.ts';
import { briefWords } from '../../presentation/question/brief.ts';
import { pendingViews } from '../../presentation/question/readView.ts';
import { approvalLines } from '../../presentation/question/textLines.ts';
import type { Command, CommandInput } from '../command.ts';
import { type AnswerDesk, atDesk, questionNamed } from './answerDesk.ts';

export const pendingCommand: Command = (input) =>
  atDesk(input, async (desk) => {
    const { terminal, options, home } = input;
    if (input.words.length > 0) return one(input, desk);
    const { ledger, policy } = desk;
    const [views, frozen, now] = [
      await pendingViews(ledger, policy),
      await allFrozen(ledger),
      await ledger.time(),
    ];
    if (options.json === true) {
      terminal.print(JSON.stringify({ frozen: frozen ?? null, pending: views }));
      return 0;
    }
    if (frozen !== undefined) terminal.print(`Signing is frozen: ${frozen.reason}`);
    if (views.length === 0) terminal.print('No open questions.');
    for (const view of views) {
      terminal.print(`${view.id}  ${view.title} (${view.mode})`);
      terminal.print(`  ${briefWords(view)}; expires in ${duration(view.expiresAt - now)}`);
    }
    if (views.length > 0)
      terminal.tell('To see and answer one: `countersign approve ID` or `countersign deny ID`.');
    if (readHandle(home) !== undefined) terminal.tell('On the page: `countersign open`.');
    return 0;
  });

/** Shows one question and its state or outcome. */
async function one(input: CommandInput, desk: AnswerDesk): Promise<number> {
  const { terminal, options } = input;
  const view = await questionNamed(input, desk, 'pending');
  const state = await readQuestion(desk.ledger, view.id, desk.policy);
  const { chips, lines, open } = state?.ending ?? { chips: [], lines: [], open: false };
  const status = chips.map(({ words }) => words).join(', ');
  if (options.json === true) {
    terminal.print(JSON.stringify({ question: view, open, status, lines }));
    return 0;
  }
  for (const line of approvalLines(view, state?.now ?? view.createdAt)) terminal.tell(line);
  terminal.print(`${view.id}: ${status}`);
  for (const line of lines) terminal.print(line);
  return 0;
}
