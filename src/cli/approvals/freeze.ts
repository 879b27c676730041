/** `countersign freeze`: stops all signing of this home at once. Requires no key. */

import { frozenFor } from '../../ledger/frozen.ts';
import type { Command } from '../command.ts';
import { widthOf, wrap } from '../layout.ts';
import { atDesk } from './answerDesk.ts';

export const freezeCommand: Command = (input) =>
  atDesk(input, async ({ ledger, answering }) => {
    await answering.freeze('A person froze signing on the command line.');
    const frozen = await frozenFor(ledger);
    const { terminal } = input;
    const message = `Signing is frozen: ${frozen?.reason ?? ''}`;
    for (const line of wrap(message, widthOf(terminal.columns))) terminal.print(line);
    input.terminal.tell(
      'Signed transactions are still followed. `countersign unfreeze` lifts the freeze, with the owner key.',
    );
    return 0;
  });
