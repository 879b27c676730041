/** The `doctor` row on the ledger, and the opened ledger for other rows. */
import { existsSync } from 'node:fs';
import { several } from '../../base/format.ts';
import { systemClock } from '../../clock.ts';
import { readMoved } from '../../ledger/backup/movedFile.ts';
import { checkpointFile } from '../../ledger/checkpoint/checkpointFile.ts';
import { LedgerError } from '../../ledger/errors.ts';
import { PROBE } from '../../ledger/notes.ts';
import { movesIn } from '../../ledger/plans/recordedMoves.ts';
import { requireCreatable } from '../../ledger/sqlite/place.ts';
import { type HomeLedger, openLedger } from '../../ledger/sqlite/sqlite.ts';
import { comparedPlan } from '../../presentation/history/rehearsed.ts';
import { canHoldLedger } from '../../runtime/ledgerPlace.ts';
import { SecretError } from '../../secrets/errors.ts';
import type { CommandInput } from '../command.ts';
import { placeOf } from '../records/place.ts';
import { bad, type Finding, good } from './finding.ts';

interface Recorded {
  readonly finding: Finding;
  /** The open ledger; absent if nothing was recorded or nothing can be read. */
  readonly ledger?: HomeLedger;
}

/** Checks whether the ledger permits signing (F44, F46). */
export async function recordOf(input: CommandInput): Promise<Recorded> {
  const what = 'ledger';
  const { home } = input;
  const place = placeOf(input);
  const ledger = openLedger({ ...place, clock: systemClock });
  try {
    const isNew = !canHoldLedger(place) && readMoved(home) === undefined && !existsSync(checkpointFile(home));
    if (isNew) {
      requireCreatable(home);
      await ledger.close();
      return { finding: good(what, 'nothing recorded yet') };
    }
    await ledger.setNote(PROBE, '');
    return { finding: good(what, 'whole'), ledger };
  } catch (error) {
    await ledger.close().catch(() => undefined);
    if (!(error instanceof LedgerError || error instanceof SecretError)) throw error;
    const next = (error instanceof LedgerError ? REMEDY[error.code] : undefined) ?? error.hint;
    return { finding: bad(what, `${error.code}: ${error.message}`, next) };
  }
}

const REMEDY: Partial<Record<LedgerError['code'], string>> = {
  LEDGER_CORRUPT: 'restore ledger.db from a backup; nothing is signed until then',
};

const MAX_PLANS = 100;

/** Returns how many of the newest executed plans moved the rehearsed amounts; empty if none was rehearsed. */
export async function rehearsalFindings(ledger: Pick<HomeLedger, 'rows'> | undefined): Promise<Finding[]> {
  const moves = ledger === undefined ? [] : movesIn(await ledger.rows('journal', {}));
  const differing: string[] = [];
  let all = 0;
  for (const planId of [...new Set(moves.map((each) => each.planId))].slice(-MAX_PLANS)) {
    const of = moves.filter((each) => each.planId === planId);
    const found = ledger && (await comparedPlan(ledger, { planId, moves: of }));
    if (found === undefined) continue;
    all += 1;
    if (found.differs) differing.push(planId);
  }
  if (all === 0) return [];
  const count = `${several(all, 'executed plan')} rehearsed, ${differing.length} moved other amounts`;
  return [
    {
      ...good('rehearsals', count),
      ...(differing.length === 0 ? {} : { next: 'countersign history shows both beside each other' }),
    },
  ];
}
