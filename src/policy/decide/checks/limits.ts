/**
 * Spending limits and counts, checked against the use recorded in the ledger. The ledger reserves the amounts atomically
 * before a signature (T41). An asset that leaves without a limit for it is denied.
 */
import type { StageStatus } from '../../../plan/types.ts';
import type { Limit, Policy } from '../../file/schema.ts';
import type { Amounts } from '../amounts.ts';
import type { Checklist } from '../checklist.ts';
import { type DecisionContext, decimalsOf, formatAmount } from '../decisionContext.ts';
import type { Asset, LedgerView, LimitUse } from '../types.ts';

/** A limit over a window of time, as the ledger counts it. */
export interface WindowLimit {
  readonly id: string;
  readonly kind: 'asset' | 'count';
  /** Asset (`SOL` or mint) or operation (`any` for all). */
  readonly of: string;
  readonly window:
    | { readonly rollingMs: number }
    | { readonly calendar: 'day' | 'week' | 'month'; readonly timeZone: string };
  readonly max: bigint;
}

const UNIT_MS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Returns the limits whose use the ledger records; limits per transaction are excluded. */
export function windowLimits(policy: Policy): WindowLimit[] {
  return policy.limits.flatMap((limit): WindowLimit[] => {
    const { window } = limit;
    if (window === 'transaction') return [];
    const length = 'rolling' in window ? window.rolling : '';
    return [
      {
        id: limit.id,
        kind: 'asset' in limit ? 'asset' : 'count',
        of: 'asset' in limit ? limit.asset : limit.count,
        window:
          'rolling' in window
            ? { rollingMs: Number.parseInt(length, 10) * (UNIT_MS[length.slice(-1)] ?? 0) }
            : window,
        max: BigInt(limit.max),
      },
    ];
  });
}

/** A stage's use of the window limits, and the sold tokens without a limit. */
export interface LimitsFound {
  readonly uses: readonly LimitUse[];
  readonly unlimited: readonly Asset[];
}

/** Operations in which tokens without a limit ask the owner instead of being denied: sales, and first buys in another quote. */
const ASKS_WITHOUT: readonly string[] = ['swap', 'launch'];

/**
 * Checks every limit. Sold tokens without a limit are returned in `unlimited` and need approval; every other asset that
 * leaves must have a limit.
 */
export function checkLimits(
  c: DecisionContext,
  spend: Amounts,
  view: LedgerView,
  list: Checklist,
): LimitsFound {
  const { limits } = c.policy;
  const unlimited: Asset[] = [];
  for (const [asset, amount] of spend) {
    const named = limits.some((limit) => 'asset' in limit && covers(limit, asset, limits));
    if (!named && asset !== 'SOL' && ASKS_WITHOUT.includes(c.inputs.plan.operation)) unlimited.push(asset);
    else {
      list.expect(named, 'LIMIT_EXCEEDED', 'everyAssetLimited', { observed: formatAmount(c, amount, asset) });
    }
  }
  const counted = countsPlan(c);
  const uses: LimitUse[] = [];
  const take = (limit: Limit, amount: bigint, code: 'LIMIT_EXCEEDED' | 'RATE_LIMITED') => {
    const use = checkLimit(c, limit, amount, list, code, view);
    if (use !== undefined) uses.push(use);
  };
  for (const limit of limits) {
    if ('asset' in limit) {
      let takes: bigint | undefined;
      for (const [asset, amount] of spend) if (covers(limit, asset, limits)) takes = (takes ?? 0n) + amount;
      if (takes !== undefined) take(limit, takes, 'LIMIT_EXCEEDED');
    } else if (counted && limit.count === 'any') take(limit, 1n, 'RATE_LIMITED');
    else if (counted && limit.count === c.inputs.plan.operation) take(limit, 1n, 'LIMIT_EXCEEDED');
  }
  return { uses, unlimited };
}

/** Whether a limit applies to an asset. `any` applies to all tokens without a limit of their own, in total. */
function covers(limit: Extract<Limit, { asset: string }>, asset: string, limits: readonly Limit[]): boolean {
  if (limit.asset !== 'any') return limit.asset === asset;
  return asset !== 'SOL' && !limits.some((other) => 'asset' in other && other.asset === asset);
}

function checkLimit(
  c: DecisionContext,
  limit: Limit,
  amount: bigint,
  list: Checklist,
  code: 'LIMIT_EXCEEDED' | 'RATE_LIMITED',
  view: LedgerView,
): LimitUse | undefined {
  const kept = limit.window !== 'transaction';
  const usedBefore = kept ? BigInt(view.used[limit.id] ?? '0') : 0n;
  const max = BigInt(limit.max);
  const words = (units: bigint): string =>
    'asset' in limit ? formatAmount(c, units, limit.asset) : `${units}`;
  const until = view.exhausted?.[limit.id];
  const observed = usedBefore > 0n ? `${words(usedBefore)} used and ${words(amount)} more` : words(amount);
  list.expect(usedBefore + amount <= max, code, 'limit', {
    params: { limitId: limit.id },
    observed:
      until === undefined
        ? observed
        : `${observed}, used up until ${new Date(until).toISOString()} because a lost ledger was accepted`,
    allowed: words(max),
  });
  if (!kept) return undefined;
  const decimals = 'asset' in limit ? decimalsOf(c, limit.asset) : undefined;
  return {
    limitId: limit.id,
    ...('asset' in limit ? { asset: limit.asset } : {}),
    ...(decimals === undefined ? {} : { decimals }),
    amount: `${amount}`,
    max: `${max}`,
    usedBefore: `${usedBefore}`,
  };
}

const NOT_SIGNED: readonly StageStatus[] = ['waiting', 'ready', 'skipped', 'expired'];

/**
 * Whether this stage counts the plan. A plan counts once, with the first signed stage; independent stages may be signed in
 * any order, so every stage counts it until one is signed (T69).
 */
const countsPlan = ({ inputs }: DecisionContext): boolean =>
  inputs.siblings.every(({ status }) => NOT_SIGNED.includes(status));
