/**
 * "Approve the like": with the yes to one plan an owner may grant the same again. A later plan of the same operation, with
 * the same parties, mints and terms, is approved without a question inside the bounds of the grant. Amounts are base units.
 */
import type { Asset } from '../programs/acts.ts';
import { addTo, only } from './aggregate.ts';
import { lineText } from './rename.ts';
import type { Approval, Line, LineOf, Run } from './types.ts';

/** How far a yes reaches beyond its own plan. */
export interface Grant {
  /** Later plans, at most. */
  readonly times: number;
  /** The asset that is traded or paid. */
  readonly asset: Asset;
  /** Most base units of `asset` that later plans pay together, fees and deposits included; decimal. */
  readonly total: string;
  /** Milliseconds since the epoch. */
  readonly until: number;
  /** Hundredths of a percent that the price of a trade may be worse than the approved one. */
  readonly worseBps: number;
}

/** Bounds of every grant: 1,000 plans, a year, half the price. */
export const MAX_TIMES = 1_000;
export const MAX_GRANT_MS = 366 * 24 * 60 * 60 * 1000;
export const MAX_WORSE_BPS = 5_000;

/** Findings, unsupported instructions, stages that are not built, and lines that decide who owns or earns: never granted again. */
const NEVER: readonly Line['id'][] = [
  ...(['asks', 'unsupported', 'later', 'final'] as const),
  ...(['earns', 'controls', 'makes', 'terms', 'position'] as const),
];

const tradesOf = ({ statement }: Approval): LineOf<'pays'>[] =>
  only(statement.lines, 'pays').filter(({ why }) => why === 'trade');

const isPrice = ({ from, atLeast }: LineOf<'receives'>): boolean => from === 'market' && atLeast > 0n;

/** Base units of each asset that a plan pays at most. */
export function paidBy({ statement }: Approval): Map<Asset, bigint> {
  const sums = new Map<Asset, bigint>();
  for (const { asset, atMost } of only(statement.lines, 'pays')) addTo(sums, asset, atMost);
  return sums;
}

/** The asset that a plan is about; `undefined` where the like cannot be granted. */
export function grantedAsset(approval: Approval): Asset | undefined {
  const { lines } = approval.statement;
  const [trade, ...others] = tradesOf(approval);
  if (approval.pins.length > 0 || approval.scope.operation === 'launch' || others.length > 0)
    return undefined;
  if (lines.some(({ id }) => NEVER.includes(id))) return undefined;
  // Without a price there is nothing that later trades would be held to.
  if (trade !== undefined && !only(lines, 'receives').some(isPrice)) return undefined;
  const payment = only(lines, 'pays').find(({ why }) => why === 'payment');
  return (trade ?? payment)?.asset ?? 'SOL';
}

/** The approval that a grant gives a run like the approved one; `covers` decides whether the run stays inside. */
export function approvalByGrant(
  approved: Approval,
  grant: Grant,
  { scope, stages }: Pick<Run, 'scope' | 'stages'>,
  expiresAt: number,
  decisionDigests: readonly string[],
): Approval | undefined {
  const { intentKey: _key, requestDigest: _digest, expiresAt: _end, ...about } = approved.scope;
  if (Object.entries(about).some(([field, value]) => new Map(Object.entries(scope)).get(field) !== value))
    return undefined;
  if (scope.principal !== approved.scope.principal) return undefined;
  const traded = stages
    .flatMap(({ lines }) => only(lines, 'pays'))
    .reduce((sum, { why, atMost }) => (why === 'trade' ? sum + atMost : sum), 0n);
  const lines = linesFor(approved, grant, traded);
  return (
    lines && { scope: { ...scope, expiresAt }, statement: { version: 1, lines }, pins: [], decisionDigests }
  );
}

/** Lamports of a service fee that need not follow the size of a trade: a transfer that only marks whose it is. */
const FIXED_FEE = 10_000n;

/** The approved lines for a trade of so much: what arrives is in proportion, less the deviation that is granted, and so is the service fee. */
function linesFor(approved: Approval, { worseBps }: Grant, traded: bigint): Line[] | undefined {
  const { lines } = approved.statement;
  const [trade] = tradesOf(approved);
  if (trade === undefined ? traded > 0n : traded <= 0n || traded > trade.atMost) return undefined;
  const share = (amount: bigint, bps = 10_000n) => {
    const parts = 10_000n * (trade?.atMost ?? 1n);
    return (amount * (trade === undefined ? 1n : traded) * bps + parts - 1n) / parts;
  };
  return lines.map((line) => {
    if (line.id === 'pays' && line.why === 'trade') return { ...line, atMost: traded };
    if (line.id === 'pays' && line.why === 'serviceFee' && trade !== undefined) {
      // A smaller fee is as good: nothing has to arrive of it.
      const { leastArrives: _, ...fee } = line;
      const isFixed = line.asset === 'SOL' && line.atMost <= FIXED_FEE;
      return isFixed ? fee : { ...fee, atMost: share(line.atMost) };
    }
    if (line.id !== 'receives') return line;
    // A claim is for whatever there is; only a trade has a price.
    if (only(lines, 'claims').some(({ of }) => of === line.from)) return { ...line, atLeast: 0n };
    return line.from === 'market'
      ? { ...line, atLeast: share(line.atLeast, BigInt(10_000 - worseBps)) }
      : line;
  });
}

/** Whether an approval is one that a grant gives, and fits beside the `others` that it gave. */
export function isWithin(
  approved: Approval,
  grant: Grant,
  others: readonly Approval[],
  one: Approval,
): boolean {
  if (grantedAsset(approved) !== grant.asset || others.length >= grant.times) return false;
  if (one.pins.length > 0 || one.scope.expiresAt > grant.until) return false;
  const stage = { state: 'this', made: {}, lines: one.statement.lines } as const;
  const like = approvalByGrant(
    approved,
    grant,
    { scope: one.scope, stages: [stage] },
    one.scope.expiresAt,
    [],
  );
  const text = (lines: readonly Line[]) => lines.map(lineText).sort().join();
  if (like === undefined || text(like.statement.lines) !== text(one.statement.lines)) return false;
  const sums = new Map<Asset, bigint>();
  for (const each of [...others, one]) for (const [asset, amount] of paidBy(each)) addTo(sums, asset, amount);
  const whole = paidBy(approved);
  return [...sums].every(([asset, sum]) =>
    asset === grant.asset
      ? sum <= BigInt(grant.total)
      : sum <= (whole.get(asset) ?? 0n) * BigInt(grant.times),
  );
}
