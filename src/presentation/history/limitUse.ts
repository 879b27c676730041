/**
 * Current use of a policy's limits: used, left, next release, and use over time. Read from the policy and the ledger.
 */
import { decimal } from '../../base/format.ts';
import { endOf } from '../../ledger/calendar.ts';
import type { Ledger, TakenOfLimit } from '../../ledger/types.ts';
import { countWords } from '../../plan/operationNames.ts';
import { OPERATIONS, type Operation } from '../../plan/types.ts';
import { type WindowLimit, windowLimits } from '../../policy/decide/checks/limits.ts';
import type { Limit, Policy } from '../../policy/file/schema.ts';
import { tokenWords, windowWords } from '../../review/policyFormat.ts';
import { sol } from './changes.ts';

type Taking = Pick<Ledger, 'rows'>;

/** Use of one limit by one wallet. Base units or plans, as decimal text. */
export interface LimitUse {
  readonly wallet: string;
  readonly limitId: string;
  readonly of: string;
  /** Base units of an asset, or plans of an operation. */
  readonly kind: 'asset' | 'count';
  readonly window: string;
  readonly max: string;
  /** Absent for a per-transaction limit, which has no accumulated use. */
  readonly used?: string;
  readonly left?: string;
  /** The next release of used amount: when and how much; `all`: when nothing is used any more. */
  readonly frees?: { readonly at: string; readonly amount: string; readonly all: string };
}

/** Returns every limit of every wallet of a policy on one chain; `ledger` is absent if nothing was recorded yet. */
export async function limitUses(
  policy: Policy,
  ledger: Taking | undefined,
  network: string,
): Promise<LimitUse[]> {
  const uses: LimitUse[] = [];
  for (const { address } of policy.wallets) {
    for (const limit of policy.limits) uses.push(await limitUse(limit, policy, ledger, address, network));
  }
  return uses;
}

async function limitUse(
  limit: Limit,
  policy: Policy,
  ledger: Taking | undefined,
  wallet: string,
  network: string,
): Promise<LimitUse> {
  const known = {
    wallet,
    limitId: limit.id,
    of: 'asset' in limit ? limit.asset : limit.count,
    kind: 'asset' in limit ? ('asset' as const) : ('count' as const),
    window: windowWords(limit.window),
    max: `${limit.max}`,
  };
  const spec = windowLimits(policy).find(({ id }) => id === limit.id);
  if (spec === undefined) return known;
  const taken = (await ledger?.rows('uses', { limit: spec, wallet, network })) ?? [];
  const used = usedOf(taken);
  const frees = freesOf(spec, taken);
  return {
    ...known,
    used: `${used}`,
    left: `${used > spec.max ? 0n : spec.max - used}`,
    ...(frees === undefined ? {} : { frees }),
  };
}

/** The sum of what was taken. */
export const usedOf = (taken: readonly TakenOfLimit[]): bigint =>
  taken.reduce((sum, { amount }) => sum + amount, 0n);

/** When what was taken leaves its window: of a rolling one bit by bit, of a calendar one all at once. */
function freesOf(spec: WindowLimit, taken: readonly TakenOfLimit[]): LimitUse['frees'] {
  const [first, last] = [taken[0], taken.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  const [at, all] = [first, last].map(({ time }) => new Date(endOf(spec, time)).toISOString());
  if (at === undefined || all === undefined) return undefined;
  const amount = at === all ? usedOf(taken) : first.amount;
  return { at, amount: `${amount}`, all };
}

const U64_MAX = 18_446_744_073_709_551_615n;

/** Formats the maximum of a limit: `at most 2 SOL`, or that it is unlimited. */
export const mostWords = (use: Pick<LimitUse, 'of' | 'kind' | 'max'>): string => {
  const max = BigInt(use.max);
  return max === U64_MAX ? ofLimit(max, use) : `at most ${ofLimit(max, use)}`;
};

/** Formats an amount of a limit. */
export function ofLimit(units: bigint, { of, kind }: Pick<LimitUse, 'of' | 'kind'>): string {
  if (kind === 'count') {
    const operation = OPERATIONS.find((known): known is Operation => known === of);
    return countWords(Number(units), operation ?? 'any');
  }
  if (of === 'SOL') return units === U64_MAX ? 'any amount of SOL' : sol(units);
  const token = tokenWords(of);
  return units === U64_MAX ? `any amount of ${token}` : `${decimal(units)} base units of ${token}`;
}
