/** The location of a command's ledger: the setting `ledger`, or the home's file. */

import { systemClock } from '../../clock.ts';
import { type HomeLedger, openLedger } from '../../ledger/sqlite/sqlite.ts';
import { SetupError } from '../../runtime/backends/backend.ts';
import { type HomePlace, ledgerPlace } from '../../runtime/ledgerPlace.ts';
import { type CommandInput, textOption } from '../command.ts';

export const placeOf = ({ home, options }: Pick<CommandInput, 'home' | 'options'>): HomePlace =>
  ledgerPlace(home, textOption(options, 'ledger'));

/** Runs `work` with the ledger of a command, and closes it. */
export async function withLedger<T>(
  input: Pick<CommandInput, 'home' | 'options'>,
  work: (ledger: HomeLedger) => Promise<T>,
): Promise<T> {
  const ledger = openLedger({ ...placeOf(input), clock: systemClock });
  return work(ledger).finally(() => ledger.close());
}

/** Throws unless the ledger is a file, for commands that move, copy or replace it. */
export function requireFile(input: Pick<CommandInput, 'home' | 'options'>): void {
  if (placeOf(input).database === undefined) return;
  throw new SetupError(
    'This command works on the ledger file of a home, and the ledger is a PostgreSQL database.',
    'Back the database up with its own tools (pg_dump, a standby); leave the setting ledger out for the file.',
  );
}
