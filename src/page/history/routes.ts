/** The routes of history and limits, each read from the ledger at one moment. */
import type { Ledger } from '../../ledger/types.ts';
import type { LoadedPolicy } from '../../policy/file/file.ts';
import { GENESIS } from '../../policy/file/networks.ts';
import { grantsOf } from '../../presentation/grants.ts';
import { limitUses } from '../../presentation/history/limitUse.ts';
import { activityIn } from '../../presentation/history/past.ts';
import { readApprovalView } from '../../presentation/question/readView.ts';
import type { PageApp } from '../http/auth.ts';
import { periodOf, type Wanted, wantedOf } from './find.ts';
import { type HistoryState, historyPage } from './historyPage.ts';
import { type LimitsState, limitsPage } from './limitsPage.ts';

export interface HistoryParts {
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

async function readLimits({ ledger, policy }: HistoryParts): Promise<LimitsState> {
  const now = await ledger.time();
  const loaded = await policy();
  if (loaded === undefined) return { now, limits: undefined, grants: [] };
  const network = GENESIS[loaded.policy.network] ?? loaded.policy.network;
  const grants = await Promise.all(
    (await grantsOf(ledger, loaded)).map(async (grant) => ({
      grant,
      question: await readApprovalView(ledger, grant.id, loaded),
    })),
  );
  return { now, limits: await limitUses(loaded.policy, ledger, network), grants };
}
