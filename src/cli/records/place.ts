/** Where the ledger of a command is: the setting `ledger`, or the file of the home. */

import { SetupError } from '../../runtime/backends/backend.ts';
import { type HomePlace, ledgerPlace } from '../../runtime/ledgerPlace.ts';
import { type CommandInput, textOption } from '../command.ts';

export const placeOf = ({ home, options }: Pick<CommandInput, 'home' | 'options'>): HomePlace =>
  ledgerPlace(home, textOption(options, 'ledger'));

/** For commands that move, copy or replace the file of the home. */
export function requireFile(input: Pick<CommandInput, 'home' | 'options'>): void {
  if (placeOf(input).database === undefined) return;
  throw new SetupError(
    'This command works on the ledger file of a home, and the ledger is a PostgreSQL database.',
    'Back the database up with its own tools (pg_dump, a standby); leave the setting ledger out for the file.',
  );
}
