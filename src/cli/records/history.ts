/** The home's records for read-only commands: the ledger and its decisions. */
import { systemClock } from '../../clock.ts';
import type { LedgerError } from '../../ledger/errors.ts';
import { type HomeLedger, openLedger } from '../../ledger/sqlite/sqlite.ts';
import type { DecisionRecord } from '../../ledger/types.ts';
import { SetupError } from '../../runtime/backends/backend.ts';
import { canHoldLedger } from '../../runtime/ledgerPlace.ts';
import { cleanText } from '../../service/untrusted.ts';
import { type CommandInput, textOption } from '../command.ts';
import { placeOf } from './place.ts';

export interface History {
  readonly ledger: HomeLedger;
  /** Set when nothing can be signed under this ledger: it is damaged, or not the one it should be. */
  readonly damage?: LedgerError;
  /** Yields every decision, newest first. */
  decisions(filter?: { planId?: string }): AsyncGenerator<DecisionRecord>;
}

const PAGE = 200;

/** Opens the records of a home for reading. Without records it prints a message and returns 0; it never creates a ledger. */
export async function withHistory(
  input: Pick<CommandInput, 'home' | 'options' | 'terminal'>,
  work: (history: History) => Promise<number>,
): Promise<number> {
  const { home, terminal } = input;
  const place = placeOf(input);
  if (!canHoldLedger(place)) {
    terminal.tell(`Nothing was recorded in ${home} yet.`);
    return 0;
  }
  const ledger = openLedger({ ...place, clock: systemClock });
  const damage = await ledger.damage();
  // An empty home is not an error: the command reports that nothing was recorded.
  await ledger.time();
  try {
    if (damage !== undefined) {
      terminal.tell(`${damage.code}: ${damage.message}`);
      terminal.tell(damage.hint);
    }
    return await work({
      ledger,
      ...(damage === undefined ? {} : { damage }),
      decisions: (filter = {}) => decisions(ledger, filter),
    });
  } finally {
    await ledger.close();
  }
}

async function* decisions(ledger: HomeLedger, filter: { planId?: string }): AsyncGenerator<DecisionRecord> {
  for (let before: number | undefined; ; ) {
    const page = await ledger.rows('decisions', {
      ...filter,
      limit: PAGE,
      ...(before === undefined ? {} : { before }),
    });
    yield* page;
    before = page.at(-1)?.sequence;
    if (page.length < PAGE || before === undefined) return;
  }
}

/** Returns the number of rows to show: `--limit`, a whole number from 1. */
export function limitOption({ options }: CommandInput, usual: number): number {
  const text = textOption(options, 'limit');
  if (text === undefined) return usual;
  if (/^[1-9][0-9]{0,6}$/.test(text)) return Number(text);
  throw new SetupError('--limit must be a whole number from 1.', `Use --limit ${usual}.`);
}

export { timeWords } from '../../base/format.ts';

/** Cleans an id of the service for one line. */
export const shownId = (id: string): string => cleanText(id, 48).text.replaceAll(' ', '_');
