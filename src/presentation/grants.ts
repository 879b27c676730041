/** Advance approvals of similar plans (grants): their bounds, their use and their end. */
import { percent, timeWords } from '../base/format.ts';
import { approvalOfRow, usesOfGrant } from '../ledger/sqlite/approvals.ts';
import type { ApprovalRow, Ledger } from '../ledger/types.ts';
import { operationWords } from '../plan/operationNames.ts';
import type { PlanOperation } from '../plan/types.ts';
import { paidBy } from '../statement/grant.ts';
import { amountWords, type TokenUnit } from './statement/amounts.ts';

/** A grant with its use. Amounts are base units of `asset`. */
export interface ShownGrant {
  /** The approval that gave it; denying that approval ends it. */
  readonly id: string;
  readonly wallet: string;
  /** The policy hash under which it is valid. */
  readonly policyHash: string;
  readonly operation: PlanOperation;
  readonly asset: string;
  readonly times: number;
  readonly used: number;
  readonly total: string;
  readonly spent: string;
  /** ISO 8601. */
  readonly until: string;
  readonly worseBps: number;
}

/** Returns the valid grants under a policy, of one wallet or all, newest first. */
export async function grantsOf(
  ledger: Ledger,
  { hash, wallet }: { readonly hash: string; readonly wallet?: string | undefined },
): Promise<ShownGrant[]> {
  const now = await ledger.time();
  const rows = (await ledger.rows('approvals', { grantId: 'any' })).filter(
    (row) => row.policyHash === hash && (wallet === undefined || row.wallet === wallet),
  );
  const shown = await Promise.all(
    rows.map(async (row) => shownOf(row, await ledger.rows('approvals', { grantId: row.id }), now)),
  );
  return shown.flat();
}

function shownOf(row: ApprovalRow, rows: readonly ApprovalRow[], now: number): ShownGrant[] {
  const { id, wallet, policyHash, grant, revokedAt } = row;
  if (grant === undefined || revokedAt !== undefined) return [];
  const uses = usesOfGrant(rows, id).map(approvalOfRow);
  const spent = uses.reduce((sum, use) => sum + (paidBy(use).get(grant.asset) ?? 0n), 0n);
  // The scope is a plan's, so its operation is valid.
  const operation = approvalOfRow(row).scope.operation as PlanOperation;
  const { times, asset, total, until, worseBps } = grant;
  const isSpent = total !== '0' && spent >= BigInt(total);
  if (until <= now || uses.length >= times || isSpent) return [];
  return [
    {
      ...{ id, wallet, policyHash, operation, asset, times, used: uses.length, total, spent: `${spent}` },
      ...{ until: new Date(until).toISOString(), worseBps },
    },
  ];
}

/** Describes the bounds of a grant; only trades have a price bound. */
export function grantWords(
  {
    times,
    asset,
    total,
    until,
    worseBps,
  }: Pick<ShownGrant, 'times' | 'asset' | 'total' | 'worseBps'> & { readonly until: number | string },
  tokens: ReadonlyMap<string, TokenUnit>,
  isTrade: boolean,
): string {
  const at = typeof until === 'string' ? Date.parse(until) : until;
  return `Similar plans are approved without a question: at most ${times} more, ${amountWords(BigInt(total), asset, tokens)} in total with fees and deposits, until ${timeWords(at)}${isTrade ? `, at a price at most ${percent(worseBps)} worse` : ''}.`;
}

/** Describes a grant and its use in one line. */
export const grantLine = (grant: ShownGrant, tokens: ReadonlyMap<string, TokenUnit>): string =>
  `${operationWords(grant.operation)} again: ${grant.used} of ${grant.times} used, ${amountWords(BigInt(grant.spent), grant.asset, tokens)} of ${amountWords(BigInt(grant.total), grant.asset, tokens)}, until ${timeWords(Date.parse(grant.until))}. \`countersign deny ${grant.id}\` ends it.`;
