/** `countersign unfreeze`: lifts a freeze, with the owner key wherever this home was set up for real money. */
import type { Secret } from '../../secrets/secret.ts';
import type { Command } from '../command.ts';
import { askOwnerPassphrase } from '../keys/owner.ts';
import { timeWords } from '../records/history.ts';
import { atDesk } from './answerDesk.ts';

export const unfreezeCommand: Command = (input) =>
  atDesk(input, async ({ ledger, answering }) => {
    const { terminal } = input;
    const frozen = await ledger.frozen();
    if (frozen === undefined) {
      terminal.print('Signing is not frozen.');
      return 0;
    }
    terminal.tell(`Frozen since ${timeWords(frozen.since)}: ${frozen.reason}`);
    let passphrase: Secret | undefined;
    try {
      if (await answering.unfreezeNeedsOwner()) passphrase = await askOwnerPassphrase(input);
      await answering.unfreeze(passphrase);
    } finally {
      passphrase?.wipe();
    }
    terminal.print('The freeze is lifted.');
    return 0;
  });
