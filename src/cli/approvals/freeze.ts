/** `countersign freeze`: stops all signing of this home at once. Needs no key. */

import type { Command } from '../command.ts';
import { atDesk } from './answerDesk.ts';

export const freezeCommand: Command = (input) =>
  atDesk(input, async ({ ledger, answering }) => {
    await answering.freeze('A person froze signing on the command line.');
    const frozen = await ledger.frozen();
    input.terminal.print(`Signing is frozen: ${frozen?.reason ?? ''}`);
    input.terminal.tell(
      'What was signed before goes on. `countersign unfreeze` lifts it, with the owner key.',
    );
    return 0;
  });
