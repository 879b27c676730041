/**
 * Pages of trades with the compound cursor, and their rules (B47, B48; docs/contract.md C-EVM-03, C-EVM-05, C-EVM-06).
 */
import type { z } from 'zod';
import type { evmTrades } from './evm.ts';

type TradesRequest = z.infer<typeof evmTrades.request>;
type TradesPage = z.infer<typeof evmTrades.response>;

/** Default trades per page. */
export const DEFAULT_TRADES_LIMIT = 50;

/**
 * Returns the request of the next page; `null` at the end of the history, or if the cursor leads back to the same page, which
 * is a violation.
 */
export function nextTradesRequest(request: TradesRequest, page: TradesPage): TradesRequest | null {
  const { nextBeforeTs, nextBeforeId } = page;
  if (nextBeforeTs === null || nextBeforeId === null) return null;
  if (nextBeforeTs === request.beforeTs && nextBeforeId === request.beforeId) return null;
  return { ...request, beforeTs: nextBeforeTs, beforeId: nextBeforeId };
}

/** Returns the contract violations of a page as sentences. The page is shown anyway. */
export function tradesPageViolations(request: TradesRequest, page: TradesPage): string[] {
  const violations: string[] = [];
  const limit = request.limit ?? DEFAULT_TRADES_LIMIT;
  if (page.trades.length > limit)
    violations.push(`the page holds ${page.trades.length} trades, more than ${limit}`);
  const times = page.trades.map((trade) => trade.timestamp);
  if (times.some((time, index) => index > 0 && time > (times[index - 1] ?? time))) {
    violations.push('the trades are not newest first');
  }
  if (new Set(page.trades.map((trade) => trade.id)).size !== page.trades.length) {
    violations.push('a trade occurs twice in the page');
  }
  const { beforeTs } = request;
  if (typeof beforeTs === 'number' && times.some((time) => time > beforeTs)) {
    violations.push('the page holds trades newer than its cursor');
  }
  if ((page.nextBeforeTs === null) !== (page.nextBeforeId === null)) {
    violations.push('only half of the next cursor is there');
  }
  if (
    page.nextBeforeTs !== null &&
    page.nextBeforeTs === beforeTs &&
    page.nextBeforeId === request.beforeId
  ) {
    violations.push('the next cursor is the one just used: paging stops here');
  }
  return violations;
}
