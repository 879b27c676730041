/**
 * `countersign approve ID`: shows one question whole, then takes the approval. With real money at stake the approval is signed
 * with the owner key, whose passphrase is typed here; no option or variable can replace it.
 */

import { frozenFor } from '../../ledger/frozen.ts';
import { sayApproval } from '../../presentation/question/say.ts';
import type { ApprovalView } from '../../presentation/question/view.ts';
import { SetupError } from '../../runtime/backends/backend.ts';
import type { Secret } from '../../secrets/secret.ts';
import type { Command } from '../command.ts';
import { askOwnerPassphrase } from '../keys/owner.ts';
import { atDesk, questionNamed } from './answerDesk.ts';

export const approveCommand: Command = (input) =>
  atDesk(input, async (desk) => {
    const { terminal, options } = input;
    const { ledger, answering } = desk;
    const view = await questionNamed(input, desk, 'approve');
    for (const line of sayApproval(view, await ledger.time())) terminal.tell(line);
    let passphrase: Secret | undefined;
    try {
      if (view.state === 'pending') {
        if (view.mode !== 'sandbox') {
          await answering.checkAsker(view.id);
          passphrase = await askOwnerPassphrase(input);
        } else if (options.yes !== true) await confirm(input, view);
      }
      const { id, envelopeDigest } = view;
      await answering.approve({ id, envelopeDigest, channel: 'command', passphrase });
    } finally {
      passphrase?.wipe();
    }
    terminal.print(`Approved ${view.id}.`);
    const frozen = await frozenFor(ledger, view.planId);
    terminal.tell(
      frozen === undefined
        ? 'It holds once for each step. The server that asked goes on by itself within a second; if it has stopped, ask the agent to submit the plan again.'
        : `Nothing is signed while signing is frozen: ${frozen.reason} Run \`countersign unfreeze\`, then ask the agent to submit the plan again.`,
    );
    return 0;
  });

async function confirm({ terminal }: Parameters<Command>[0], { read }: ApprovalView): Promise<void> {
  const question = read ? 'Type yes to approve:' : 'Type yes to approve it unverified:';
  const answer = await terminal.ask(question, { or: 'Pass `--yes` in the sandbox.' });
  if (answer.trim().toLowerCase() === 'yes') return;
  throw new SetupError('Nothing was answered.', 'Use `countersign deny ID` to deny it.');
}
