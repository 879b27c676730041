/**
 * Summarizes a period: outcomes, balance changes, costs and pending plans. Read from the ledger; changes of
 * transactions that are not final yet are read from the chain, and missing ones are counted.
 */
import { decimalText, SOL_DECIMALS } from '../../base/format.ts';
import type { ExecutionDeps } from '../../execution/ports.ts';
import { WSOL_MINT } from '../../transaction/programs.ts';
import { type Moved, movedTogether } from '../moves.ts';
import type { FactsReader } from '../planFacts.ts';
import { type Activity, type Outcome, type Period, totalOf } from './activity.ts';
import { recordsIn } from './past.ts';
import type { ShownActivity, ShownPeriod } from './periodShape.ts';

const PENDING: readonly Outcome[] = ['asked', 'doubt', 'open'];
/** Maximum number of transactions read from the chain for a period's deposits. */
const MAX_DEPOSIT_READS = 50;
const EVER: Period = { from: 0, until: Number.MAX_SAFE_INTEGER };

/**
 * Returns the activity on this chain within the last `hours`; at most `most` lines of each list, from the offset on.
 */
export async function periodOf(
  deps: ExecutionDeps,
  reader: FactsReader,
  { hours, most, offset }: { readonly hours: number; readonly most: number; readonly offset: number },
): Promise<ShownPeriod> {
  const { ledger, chain } = deps;
  const now = await ledger.time();
  const network = await chain.genesisHash();
  const past = await recordsIn(ledger, EVER);
  const all = past.map(({ activity }) => activity).filter((each) => each.network === network);
  const from = now - hours * 3_600_000;
  const within = all.filter(({ at }) => at >= from);
  const outcomes: ShownPeriod['outcomes'] = {};
  for (const { outcome } of within) outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
  const { moved, unknown } = await movedIn(deps, reader, within);
  const deposits = await depositsIn(deps, reader, within);
  const line = (activity: Activity) => lineOf(deps, reader, activity);
  const pending = all.filter(({ outcome }) => PENDING.includes(outcome));
  const next = offset + most;
  const after = ({ length }: { readonly length: number }) => Math.max(0, length - next);
  const more = { happened: after(within), pending: after(pending) };
  return {
    from: new Date(from).toISOString(),
    to: new Date(now).toISOString(),
    outcomes,
    changes: await reader.tokens.amounts(moved.changes, 'signed'),
    cost: {
      networkFee: decimalText(moved.fee, SOL_DECIMALS),
      ...(deposits ? { newAccounts: decimalText(deposits, SOL_DECIMALS) } : {}),
      serviceFees: await reader.tokens.amounts(await serviceFees(deps, within)),
    },
    ...(more.happened + more.pending === 0 ? {} : { nextOffset: next, more }),
    happened: await Promise.all(within.slice(offset, next).map(line)),
    pending: await Promise.all(pending.slice(offset, next).map(line)),
    ...(unknown === 0 ? {} : { unknown }),
  };
}

/** Returns the lamports deposited in new accounts; `undefined` for too many transactions or missing chain data. */
async function depositsIn(
  { ledger }: ExecutionDeps,
  reader: FactsReader,
  activities: readonly Activity[],
): Promise<bigint | undefined> {
  const signatures = activities.flatMap(({ moves, unrecorded }) => [
    ...moves.map(({ signature }) => signature),
    ...unrecorded,
  ]);
  if (signatures.length > MAX_DEPOSIT_READS) return undefined;
  const rows = await Promise.all(signatures.map((signature) => ledger.rows('journal', { signature })));
  const each = await Promise.all(rows.flat().map((row) => reader.moves.of(row)));
  const known = each.filter((moved) => moved !== undefined);
  return known.length < each.length ? undefined : movedTogether(known).newAccounts;
}

/** Returns the service fees of landed swaps by asset; they are part of the balance changes. */
async function serviceFees(
  { ledger }: ExecutionDeps,
  activities: readonly Activity[],
): Promise<ReadonlyMap<string, bigint>> {
  const fees = new Map<string, bigint>();
  for (const { planId } of activities.filter(({ outcome }) => outcome === 'landed')) {
    const { feeMint, feeLamports } = (await ledger.rows('plans', { planId }))[0]?.answer ?? {};
    if (typeof feeMint !== 'string' || typeof feeLamports !== 'string' || !/^\d+$/.test(feeLamports))
      continue;
    const asset = feeMint === WSOL_MINT ? 'SOL' : feeMint;
    fees.set(asset, (fees.get(asset) ?? 0n) + BigInt(feeLamports));
  }
  return fees;
}

/** Returns the combined changes of landed transactions: recorded at finality, otherwise read from the chain. */
async function movedIn(
  { ledger }: ExecutionDeps,
  reader: FactsReader,
  activities: readonly Activity[],
): Promise<{ moved: Moved; unknown: number }> {
  const { feeLamports, changes } = totalOf(activities.flatMap(({ moves }) => moves));
  // Recorded separately, native and wrapped SOL are one asset here.
  const each = [...changes].map(
    ([asset, { units }]): Moved => ({
      changes: new Map([[asset === WSOL_MINT ? 'SOL' : asset, units]]),
      fee: 0n,
      newAccounts: 0n,
      wrapped: 0n,
    }),
  );
  const recorded: Moved = { ...movedTogether(each), fee: feeLamports };
  const rows = await Promise.all(
    activities.flatMap(({ unrecorded }) =>
      unrecorded.map((signature) => ledger.rows('journal', { signature })),
    ),
  );
  const later = await Promise.all(rows.flat().map((row) => reader.moves.of(row)));
  const known = later.filter((moved) => moved !== undefined);
  return { moved: movedTogether([recorded, ...known]), unknown: later.length - known.length };
}

async function lineOf(
  { ledger }: ExecutionDeps,
  reader: FactsReader,
  { planId, at, outcome, why, operation }: Activity,
): Promise<ShownActivity> {
  const plan = (await ledger.rows('plans', { planId }))[0];
  const facts = plan && (await reader.brief({ plan }));
  return {
    planId,
    at: new Date(at).toISOString(),
    outcome,
    asked: facts?.asked ?? operation.replaceAll('_', ' '),
    ...(why === undefined ? {} : { why }),
  };
}
