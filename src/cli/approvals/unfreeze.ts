/**
 * `countersign unfreeze [PRINCIPAL]`: lifts every freeze, or one principal's, with the owner key if this home is set
 * up for live mode.
 */
import { freezeWords } from '../../ledger/frozen.ts';
import type { Secret } from '../../secrets/secret.ts';
import type { Command } from '../command.ts';
import { askOwnerPassphrase } from '../keys/owner.ts';
import { timeWords } from '../records/history.ts';
import { atDesk } from './answerDesk.ts';

export const unfreezeCommand: Command = (input) =>
  atDesk(input, async ({ ledger, answering }) => {
    const { terminal, words } = input;
    const [only] = words;
    const freezes = (await ledger.rows('freezes', {})).filter(
      ({ principal }) => only === undefined || principal === only,
    );
    if (freezes.length === 0) {
      terminal.print(
        only === undefined ? 'Signing is not frozen.' : `Signing is not frozen for ${only} alone.`,
      );
      return 0;
    }
    for (const freeze of freezes)
      terminal.tell(`Frozen since ${timeWords(freeze.since)}: ${freezeWords(freeze)}`);
    let passphrase: Secret | undefined;
    try {
      if (await answering.unfreezeNeedsOwner()) passphrase = await askOwnerPassphrase(input);
      await answering.unfreeze(passphrase, only);
    } finally {
      passphrase?.wipe();
    }
    terminal.print('The freeze is lifted.');
    return 0;
  });
