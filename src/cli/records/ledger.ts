/**
 * `countersign ledger archive`: finished plans go into a file of their own; the record of decisions stays whole.
 * `countersign ledger accept` is in a file of its own.
 */
import { randomBytes } from 'node:crypto';
import { join, resolve } from 'node:path';
import { decimal, several } from '../../base/words.ts';
import { systemClock } from '../../clock.ts';
import { planStatus, readSnapshot } from '../../landing/status.ts';
import { archivePlans, type FinishedPlan, hasLedger } from '../../ledger/archive/archive.ts';
import { openLedger } from '../../ledger/sqlite/sqlite.ts';
import type { Ledger } from '../../ledger/types.ts';
import type { Plan, PlanStatus } from '../../plan/types.ts';
import { SetupError } from '../../runtime/backends/backend.ts';
import { type Command, type CommandInput, textOption } from '../command.ts';
import { requireFile } from './place.ts';

const USAGE = 'countersign ledger archive [--older-than DAYS] [--out FILE] | accept --policy FILE';
const DAY_MS = 86_400_000;
const PAGE = 500;
/** A plan without any signature counts as abandoned after this many days. */
const GIVEN_UP_DAYS = 30;

export const ledgerCommand: Command = async (input) => {
  const [verb] = input.words;
  requireFile(input);
  if (verb === 'archive') return archive(input);
  if (verb === 'accept') return (await import('./ledger/accept.ts')).acceptCommand(input);
  throw new SetupError('The ledger command needs to know what to do.', USAGE);
};

async function archive(input: CommandInput): Promise<number> {
  const { home, terminal, options } = input;
  if (!hasLedger(home)) {
    terminal.tell(`Nothing was recorded in ${home} yet.`);
    return 0;
  }
  const ledger = openLedger({ home, clock: systemClock });
  let plans: FinishedPlan[];
  let time: number;
  try {
    await ledger.probe();
    await refuseOpen(ledger);
    time = await ledger.time();
    plans = await finishedPlans(ledger, time, daysOption(input) * DAY_MS);
  } finally {
    await ledger.close();
  }
  const file = resolve(textOption(options, 'out') ?? newArchive(home, time));
  const report = await archivePlans({ home, file, plans, clock: systemClock });
  if (options.json === true) {
    terminal.print(JSON.stringify({ ...report, file: report.plans === 0 ? null : file }));
    return 0;
  }
  if (report.plans === 0) {
    terminal.print('There is no finished plan to archive.');
    return 0;
  }
  terminal.print(file);
  terminal.tell(
    `${several(report.plans, 'finished plan')} archived, with ${several(report.signatures, 'signature')} and the ` +
      `facts of ${several(report.decisions, 'decision')}.`,
  );
  terminal.tell(
    `The ledger went from ${decimal(BigInt(report.bytesBefore))} to ${decimal(BigInt(report.bytesAfter))} bytes.` +
      (report.compacted ? '' : ' Another process was using it, so the space is used again later.'),
  );
  terminal.tell('Keep the file: `countersign audit verify` reads it to prove the whole record.');
  return 0;
}

async function refuseOpen(ledger: Ledger): Promise<void> {
  const open = await ledger.openRows({});
  if (open.length === 0) return;
  const ids = [...new Set(open.map((row) => row.planId))];
  throw new SetupError(
    `Nothing was archived: ${several(open.length, 'signed transaction')} may still change, of ${ids.join(', ')}.`,
    open.every((row) => row.mode === 'sandbox')
      ? 'That is of a sandbox: the next `countersign serve --sandbox` that signs a plan finishes it, or closes it where its chain is gone.'
      : 'Run `countersign plans` to see what comes next, and archive when nothing is in doubt.',
  );
}

/** Plans that are complete or failed, and old plans without any signature. */
async function finishedPlans(ledger: Ledger, time: number, olderMs: number): Promise<FinishedPlan[]> {
  const finished: FinishedPlan[] = [];
  for (let offset = 0; ; offset += PAGE) {
    const page = await ledger.plans({ limit: PAGE, offset });
    for (const plan of page) {
      if (time - plan.createdAt < olderMs) continue;
      const status = await endOf(ledger, plan, time);
      if (status !== undefined) finished.push({ planId: plan.planId, status });
    }
    if (page.length < PAGE) return finished;
  }
}

/** How a plan ended; `undefined` while something of it may still be done. */
async function endOf(ledger: Ledger, plan: Plan, time: number): Promise<PlanStatus | undefined> {
  const snapshot = await readSnapshot(ledger, plan.planId);
  if (snapshot === undefined) return undefined;
  const { rows, states } = snapshot;
  const status = planStatus(snapshot);
  const old = time - plan.createdAt >= GIVEN_UP_DAYS * DAY_MS;
  // An optional stage brings a deposit back: the plan waits for it, but only for a limited time.
  const owed = states.some(
    ({ stage, status: state }) => stage.optional && (state === 'waiting' || state === 'ready'),
  );
  if (status === 'failed' || (status === 'complete' && (old || !owed))) return status;
  return rows.length === 0 && old ? status : undefined;
}

function daysOption({ options }: CommandInput): number {
  const text = textOption(options, 'older-than');
  if (text === undefined) return 0;
  if (/^[0-9]{1,5}$/.test(text)) return Number(text);
  throw new SetupError('--older-than must be a whole number of days.', 'Use --older-than 30.');
}

const newArchive = (home: string, time: number): string =>
  join(
    home,
    'archive',
    `ledger-${new Date(time).toISOString().slice(0, 10)}-${randomBytes(3).toString('hex')}.db`,
  );
