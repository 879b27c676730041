/**
 * `countersign deny ID`: denies a question, with an optional reason for the agent. Requires no key: any process that
 * can write the ledger may stop things.
 */
import { MAX_REASON_LENGTH } from '../../answering/closedQuestion.ts';
import { type Command, textOption } from '../command.ts';
import { atDesk, questionNamed } from './answerDesk.ts';

export const denyCommand: Command = (input) =>
  atDesk(input, async (desk) => {
    const { terminal, options } = input;
    const { id, approvalDigest, state } = await questionNamed(input, desk, 'deny');
    const asks = state === 'pending' && terminal.interactive && options.yes !== true;
    const reason =
      textOption(options, 'reason') ??
      (asks
        ? await terminal.ask(
            `Why? The agent is told (at most ${MAX_REASON_LENGTH} characters; Enter for no reason):`,
          )
        : '');
    const row = await desk.answering.deny({ id, approvalDigest, channel: 'command', reason });
    if (row.revokedAt !== undefined) {
      terminal.print(`Ended what was granted with ${id}. You are asked about similar plans again.`);
      return 0;
    }
    terminal.print(`Denied ${id}. Nothing is signed for it.`);
    terminal.tell(
      row.reason === undefined
        ? 'The agent sees that a person denied it.'
        : `The agent sees that a person denied it, with your reason: "${row.reason}"`,
    );
    return 0;
  });
