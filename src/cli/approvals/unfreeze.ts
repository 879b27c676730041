/**
 * `countersign unfreeze [PRINCIPAL]`: lifts every freeze, or one principal's, with the owner key if this home is set
 * up for live mode.
 */
import { freezeWords } from '../../ledger/frozen.ts';
import type { Command } from '../command.ts';
import { withOwnerPassphrase } from '../keys/owner.ts';
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
    const newest = Math.max(...freezes.map(({ since }) => since));
    await withOwnerPassphrase(input, await answering.unfreezeNeedsOwner(), (passphrase) =>
      answering.unfreeze(passphrase, newest, only),
    );
    terminal.print('The freeze is lifted.');
    for (const freeze of await ledger.rows('freezes', {}))
      if (freeze.since > newest) terminal.tell(`Frozen again meanwhile: ${freezeWords(freeze)}`);
    return 0;
  });
