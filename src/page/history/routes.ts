/** The pages of the past, read from the ledger at one moment, and their addresses. */
import { movesIn } from '../../ledger/plans/recordedMoves.ts';
import type { Ledger } from '../../ledger/types.ts';
import type { Mode } from '../../plan/types.ts';
import { windowLimits } from '../../policy/decide/checks/limits.ts';
import type { LoadedPolicy } from '../../policy/file/file.ts';
import { GENESIS } from '../../policy/file/networks.ts';
import { grantsOf } from '../../presentation/grants.ts';
import { limitUses } from '../../presentation/history/limitUse.ts';
import { solByDay, spanOf, usedOverTime } from '../../presentation/history/overTime.ts';
import { activityIn } from '../../presentation/history/past.ts';
import { readApprovalView } from '../../presentation/question/readView.ts';
import type { PageApp } from '../http/auth.ts';
import { periodOf, type Wanted, wantedOf } from './find.ts';
import { type HistoryState, historyPage } from './historyPage.ts';
import { type LimitOverTime, type LimitsState, limitsPage } from './limitsPage.ts';

/** Number of days in the SOL chart. */
const DAYS = 30;

export interface HistoryParts {
  readonly mode: Mode;
  readonly ledger: Ledger;
  /** The policy in force, for names of limits and rules. */
  readonly policy: () => Promise<LoadedPolicy | undefined>;
  /** An explorer address with `{signature}` in it, `none`, or absent for the network's default. */
  readonly explorer?: string | undefined;
}

export function addHistory(app: PageApp, base: string, parts: HistoryParts): void {
  app.get(`${base}history`, async (c) =>
    c.html(historyPage(c.var.page, await readHistory(parts, wantedOf(c.req.query())))),
  );
  app.get(`${base}limits`, async (c) => c.html(limitsPage(c.var.page, await readLimits(parts))));
}

async function readHistory(
  { ledger, explorer, policy }: HistoryParts,
  wanted: Wanted,
): Promise<HistoryState> {
  const now = await ledger.time();
  const loaded = (await policy())?.policy;
  const past = await activityIn(ledger, periodOf(wanted, now), loaded);
  const labels = new Map(loaded?.wallets.map(({ address, label }) => [address, label]));
  return { now, wanted, ...past, labels, explorer };
}

async function readLimits({ mode, ledger, policy }: HistoryParts): Promise<LimitsState> {
  const now = await ledger.time();
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  const inForce = await policy();
  const loaded = inForce?.policy;
  // The blocks of a sandbox have a time of their own; what happened there is placed by when it was recorded.
  const moves = movesIn(await ledger.rows('journal', {})).map(({ time, ...rest }) =>
    mode === 'sandbox' || time === undefined ? rest : { ...rest, time },
  );
  if (inForce === undefined || loaded === undefined)
    return { now, days: solByDay(moves, { days: DAYS, now, timeZone }), limits: undefined, grants: [] };
  const network = GENESIS[loaded.network] ?? loaded.network;
  const own = moves.filter((each) => each.network === network);
  const specs = windowLimits(loaded);
  const limits: LimitOverTime[] = [];
  for (const use of await limitUses(loaded, ledger, network)) {
    const spec = specs.find(({ id }) => id === use.limitId);
    if (spec === undefined) limits.push({ use, begin: now });
    else {
      const { wallet } = use;
      const steps = await usedOverTime(ledger, spec, { wallet, network, now });
      limits.push({ use, begin: now - spanOf(spec), steps });
    }
  }
  const grants = await Promise.all(
    (await grantsOf(ledger, inForce)).map(async (grant) => ({
      grant,
      question: await readApprovalView(ledger, grant.id, inForce),
    })),
  );
  return { now, days: solByDay(own, { days: DAYS, now, timeZone }), limits, grants };
}
