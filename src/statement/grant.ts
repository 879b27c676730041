/**
 * Grants: an owner who approves a plan may also approve similar later plans. A plan of the same operation with the same
 * parties, mints and terms is then approved automatically within the bounds of the grant. Amounts are in base units.
 */
import type { Asset } from '../programs/acts.ts';
import { addTo, only } from './aggregate.ts';
import { lineText } from './rename.ts';
import type { Approval, Line, LineOf, Run } from './types.ts';

/** The bounds of a grant. */
export interface Grant {
  /** Maximum number of later plans. */
  readonly times: number;
  /** The traded or paid asset. */
  readonly asset: Asset;
  /** Maximum total that later plans may pay, including fees and deposits: base units of `asset` as a decimal string. */
  readonly total: string;
  /** Milliseconds since the epoch. */
  readonly until: number;
  /** Maximum deviation below the approved price of a trade, in basis points. */
  readonly worseBps: number;
}

/** Maximum bounds of a grant: 1,000 plans, one year, half the price. */
export const MAX_TIMES = 1_000;
export const MAX_GRANT_MS = 366 * 24 * 60 * 60 * 1000;
export const MAX_WORSE_BPS = 5_000;

/** Lines that exclude a grant: asks, unsupported instructions, missing stages, and lines about ownership or fee shares. */
const NOT_GRANTABLE: readonly Line['id'][] = [
  ...(['asks', 'unsupported', 'later', 'final'] as const),
  ...(['earns', 'controls', 'makes', 'terms', 'position'] as const),
];

const tradesOf = ({ statement }: Approval): LineOf<'pays'>[] =>
  only(statement.lines, 'pays').filter(({ why }) => why === 'trade');

const isPrice = ({ from, atLeast }: LineOf<'receives'>): boolean => from === 'market' && atLeast > 0n;

/** Returns the maximum base units that a plan pays, by asset. */
export function paidBy({ statement }: Approval): Map<Asset, bigint> {
  const sums = new Map<Asset, bigint>();
  for (const { asset, atMost } of only(statement.lines, 'pays')) addTo(sums, asset, atMost);
  return sums;
}

/** Returns the asset of a plan, or `undefined` if similar plans cannot be granted. */
export function grantedAsset(approval: Approval): Asset | undefined {
  const { lines } = approval.statement;
  const [trade, ...others] = tradesOf(approval);
  if (approval.pins.length > 0 || approval.scope.operation === 'launch' || others.length > 0)
    return undefined;
  if (lines.some(({ id }) => NOT_GRANTABLE.includes(id))) return undefined;
  // Without a minimum output there is no price to compare later trades with.
  if (trade !== undefined && !only(lines, 'receives').some(isPrice)) return undefined;
  const payment = only(lines, 'pays').find(({ why }) => why === 'payment');
  return (trade ?? payment)?.asset ?? 'SOL';
}

/** Returns the approval that a grant gives to a similar run, or `undefined`. `covers` checks the run against it. */
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

/** Maximum lamports of a service fee that is not scaled with the trade, such as a tracking transfer. */
const FIXED_FEE = 10_000n;

/** Scales the approved lines to the traded amount: the minimum output, less the granted deviation, and the service fee. */
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
      // A fee has no minimum.
      const { leastArrives: _, ...fee } = line;
      const isFixed = line.asset === 'SOL' && line.atMost <= FIXED_FEE;
      return isFixed ? fee : { ...fee, atMost: share(line.atMost) };
    }
    if (line.id !== 'receives') return line;
    // A claim has no minimum; only trades have a price.
    if (only(lines, 'claims').some(({ of }) => of === line.from)) return { ...line, atLeast: 0n };
    return line.from === 'market'
      ? { ...line, atLeast: share(line.atLeast, BigInt(10_000 - worseBps)) }
      : line;
  });
}

/** Whether an approval follows from a grant, within its bounds together with the `others` already given. */
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
