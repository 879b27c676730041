import { z } from 'zod';
import {
  checkEvmTrades,
  type EndpointRequest,
  type EndpointResponse,
  evmTradesFields,
  nextTradesRequest,
  tradesPageViolations,
} from '../../src/contract/index.ts';
import { fromOutside, stated, untrustedShape } from '../outside.ts';
import { fitting, picked } from '../rows.ts';
import { timeArgument } from '../times.ts';
import { defineTool, type ToolContext } from '../tool.ts';
import { checksummed, zeroAddressNotes } from './address.ts';
import { toWholeUnits } from './amounts.ts';
import { type TradeTotals, totalsOf } from './totals.ts';

type Page = EndpointResponse<'evmTrades'>;
type Request = EndpointRequest<'evmTrades'>;

/** Tokens of this chain have 18 decimals (C-EVM). */
const TOKEN_DECIMALS = 18;
/** Maximum pages of totals in one call, and trades per page. */
const MAX_PAGES = 10;
const WHOLE_PAGE = 200;

/** Formats a trade as a line. */
const briefly = (trade: Page['trades'][number], quote: Page['quote']) => ({
  ...picked(trade, ['id', 'timestamp', 'kind', 'account']),
  ...picked(
    {
      tokens: toWholeUnits(trade.tokenWei, TOKEN_DECIMALS) ?? trade.tokenWei,
      quoteAmount: toWholeUnits(trade.quoteWei ?? trade.ethWei, quote?.decimals) ?? trade.quoteWei,
    },
    ['tokens', 'quoteAmount'],
  ),
});

/** Reads pages from a request on; `next` is the cursor of the following page. */
async function readAll(
  service: ToolContext['service'],
  first: Request,
): Promise<{ totals: TradeTotals; last: Page; violations: string[] }> {
  let request: Request = { ...first, limit: first.limit ?? WHOLE_PAGE };
  let page = await service.call('evmTrades', request);
  const trades = [...page.trades];
  const violations = tradesPageViolations(request, page);
  for (let read = 1; read < MAX_PAGES; read += 1) {
    const next = nextTradesRequest(request, page);
    if (next === null) break;
    request = next;
    page = await service.call('evmTrades', request);
    trades.push(...page.trades);
    violations.push(...tradesPageViolations(request, page));
  }
  return { totals: totalsOf(trades, page.quote?.decimals, TOKEN_DECIMALS), last: page, violations };
}

/** One page of trades, newest first, or sums over many. A page that violates the contract is shown with a note (B45 … B48). */
export const listEvmTrades = defineTool({
  name: 'list_evm_trades',
  title: 'List EVM trades',
  domain: 'evm',
  effect: 'read',
  description:
    'Trades of a token on EVM chain 4663, newest first. Next page: beforeTs and beforeId, both; null ends. totals sums up to 2000 trades instead of listing them.',
  input: z
    .strictObject({
      ...evmTradesFields,
      beforeTs: timeArgument('nextBeforeTs of the page before.', 'integer').nullish(),
      totals: z.boolean().describe('Sums over all pages.').nullish(),
      detail: z.boolean().describe('Hashes, venues, prices too.').nullish(),
    })
    .superRefine(checkEvmTrades),
  output: z.looseObject({
    trades: z.array(z.looseObject({})).optional(),
    totals: z.looseObject({}).optional(),
    nextBeforeTs: z.number().nullable(),
    nextBeforeId: z.string().nullable(),
    quote: z.unknown().optional(),
    contractViolations: z.array(z.string()).optional(),
    notes: z.array(z.string()).optional(),
    untrusted: untrustedShape,
  }),
  async run({ totals, detail, ...input }, { service }) {
    const request = { ...input, tokenAddress: await checksummed(input.tokenAddress) };
    const notes = zeroAddressNotes(request.tokenAddress);
    if (typeof input.beforeTs === 'number' && typeof input.beforeId !== 'string')
      notes.push('beforeTs alone starts at strictly older seconds: trades within that second are left out.');
    if (totals === true) {
      const { totals: sums, last, violations } = await readAll(service, request);
      const { value, untrusted } = fromOutside({ quote: last.quote }, ['quote.symbol']);
      return {
        ...cursor(last, request),
        totals: { ...sums },
        ...value,
        ...extra(violations, notes),
        untrusted,
      };
    }
    const page = await service.call('evmTrades', request);
    const { value, untrusted } = fromOutside(stated('evmTrades', page), ['quote.symbol']);
    const shown = detail === true ? value.trades : value.trades.map((trade) => briefly(trade, value.quote));
    const count = fitting(shown);
    const last = page.trades[count - 1];
    const { nextBeforeTs: _, nextBeforeId: __, ...more } = value;
    return {
      ...(count < shown.length && last !== undefined
        ? { nextBeforeTs: last.timestamp, nextBeforeId: last.id }
        : cursor(page, request)),
      ...more,
      trades: shown.slice(0, count),
      ...extra(tradesPageViolations(request, page), notes),
      untrusted,
    };
  },
});

/** Returns the next cursor; a cursor that does not advance ends the list (B47). */
function cursor(page: Page, request: Request): { nextBeforeTs: number | null; nextBeforeId: string | null } {
  const { nextBeforeTs, nextBeforeId } = page;
  const loops = nextBeforeTs !== null && nextTradesRequest(request, page) === null;
  return loops ? { nextBeforeTs: null, nextBeforeId: null } : { nextBeforeTs, nextBeforeId };
}

const extra = (contractViolations: readonly string[], notes: readonly string[]) => ({
  ...(contractViolations.length > 0 ? { contractViolations: [...contractViolations] } : {}),
  ...(notes.length > 0 ? { notes: [...notes] } : {}),
});
