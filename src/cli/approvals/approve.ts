/**
 * `countersign approve ID`: shows one question and asks for the approval. In live mode the approval is signed with
 * the owner key, whose passphrase is entered here; no option or variable can replace it.
 */

import { GrantError, grantOf } from '../../answering/grantTerms.ts';
import { frozenFor } from '../../ledger/frozen.ts';
import { grantWords } from '../../presentation/grants.ts';
import { approvalLines, summaryLines } from '../../presentation/question/textLines.ts';
import type { ApprovalView } from '../../presentation/question/view.ts';
import { SetupError } from '../../runtime/backends/backend.ts';
import type { Grant } from '../../statement/grant.ts';
import { type Command, type CommandInput, textOption } from '../command.ts';
import { withOwnerPassphrase } from '../keys/owner.ts';
import { atDesk, questionNamed } from './answerDesk.ts';

export const approveCommand: Command = (input) =>
  atDesk(input, async (desk) => {
    const { terminal, options } = input;
    const { ledger, answering } = desk;
    const view = await questionNamed(input, desk, 'approve');
    for (const line of approvalLines(view, await ledger.time())) terminal.tell(line);
    // The agent's request ends the question and may be long: what counts is repeated beside the prompt.
    for (const line of ['', ...summaryLines(view)]) terminal.tell(line);
    const grant = grantTyped(input, view, await ledger.time());
    if (grant !== undefined)
      terminal.tell(
        grantWords(grant, new Map([[grant.asset, view.again ?? {}]]), view.again?.isTrade === true),
      );
    const isOpen = view.state === 'pending';
    const needsOwner = isOpen && view.mode !== 'sandbox';
    if (needsOwner) await answering.checkAsker(view.id);
    else if (isOpen && options.yes !== true) await confirm(input, view);
    const { id, approvalDigest } = view;
    await withOwnerPassphrase(input, needsOwner, (passphrase) =>
      answering.approve({ id, approvalDigest, channel: 'command', passphrase, grant }),
    );
    terminal.print(`Approved ${view.id}.`);
    const frozen = await frozenFor(
      ledger,
      (await ledger.rows('plans', { planId: view.planId }))[0]?.principal,
    );
    terminal.tell(
      frozen === undefined
        ? 'It is valid once for each step. The server that asked continues by itself within a second; if it has stopped, ask the agent to submit the plan again.'
        : `Nothing is signed while signing is frozen: ${frozen.reason} Run \`countersign unfreeze\`, then ask the agent to submit the plan again.`,
    );
    return 0;
  });

const USAGE = 'Use `countersign approve ID again 5 [total 2.5] [worse 1] --until 7d`.';

/** Parses the bounds of a grant: `again N`, followed by pairs of words, and `--until`. */
function grantTyped(
  { words, options }: CommandInput,
  { again }: ApprovalView,
  now: number,
): Grant | undefined {
  const [, ...pairs] = words;
  const given = new Map<string, string>();
  for (let i = 0; i < pairs.length; i += 2) given.set(pairs[i] ?? '', pairs[i + 1] ?? '');
  if ([...given].some(([name, text]) => !['again', 'total', 'worse'].includes(name) || text === ''))
    throw new SetupError('The bounds of the grant are invalid.', USAGE);
  if (given.size > 0 && again === undefined)
    throw new SetupError(
      'Plans similar to this one cannot be approved in advance.',
      'Approve this one alone.',
    );
  if (again === undefined) return undefined;
  const until = textOption(options, 'until');
  try {
    const texts = { times: given.get('again'), total: given.get('total'), worse: given.get('worse'), until };
    return grantOf(texts, again, now);
  } catch (error) {
    throw error instanceof GrantError ? new SetupError(error.message, USAGE) : error;
  }
}

async function confirm({ terminal }: Parameters<Command>[0], { read }: ApprovalView): Promise<void> {
  const question = read ? 'Type yes to approve:' : 'Type yes to approve it unverified:';
  const answer = await terminal.ask(question, { or: 'Pass `--yes` in the sandbox.' });
  if (answer.trim().toLowerCase() === 'yes') return;
  throw new SetupError('Nothing was answered.', 'Use `countersign deny ID` to deny it.');
}
