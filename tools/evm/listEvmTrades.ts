import { z } from 'zod';
import {
  checkEvmTrades,
  evmTradesFields,
  nextTradesRequest,
  tradesPageViolations,
} from '../../src/contract/index.ts';
import { fromOutside, stated, untrustedShape } from '../outside.ts';
import { facts, heading, say, table } from '../say.ts';
import { defineTool } from '../tool.ts';
import { checksummed, zeroAddressNotes } from './address.ts';

/** One page of trades, newest first; a page that breaks the contract is shown and says so (B45 … B48). */
export const listEvmTrades = defineTool({
  name: 'list_evm_trades',
  title: 'List EVM trades',
  domain: 'evm',
  effect: 'read',
  description:
    'Trades of a token on EVM chain 4663, newest first. Next page: nextBeforeTs as beforeTs with nextBeforeId as beforeId; null ends. beforeTs alone skips trades of that second.',
  input: z.strictObject(evmTradesFields).superRefine(checkEvmTrades),
  output: z.looseObject({
    trades: z.array(z.looseObject({})),
    nextBeforeTs: z.number().nullable(),
    nextBeforeId: z.string().nullable(),
    quote: z.unknown().optional(),
    contractViolations: z.array(z.string()).optional(),
    notes: z.array(z.string()).optional(),
    untrusted: untrustedShape,
  }),
  async run(input, { service }) {
    const request = { ...input, tokenAddress: await checksummed(input.tokenAddress) };
    const page = await service.call('evmTrades', request);
    const contractViolations = tradesPageViolations(request, page);
    const notes = zeroAddressNotes(request.tokenAddress);
    if (typeof input.beforeTs === 'number' && typeof input.beforeId !== 'string')
      notes.push('beforeTs alone starts at strictly older seconds: trades within that second are left out.');
    // A cursor that leads nowhere new must not be followed forever (B47).
    const loops = page.nextBeforeTs !== null && nextTradesRequest(request, page) === null;
    const { value, untrusted } = fromOutside(stated('evmTrades', page), ['quote.symbol']);
    return {
      ...value,
      ...(loops ? { nextBeforeTs: null, nextBeforeId: null } : {}),
      ...(contractViolations.length > 0 ? { contractViolations } : {}),
      ...(notes.length > 0 ? { notes } : {}),
      untrusted,
    };
  },
  text: (page) =>
    say(
      table(
        heading(page.trades.length, 'trade'),
        page.trades,
        'timestamp',
        'kind',
        'account',
        'tokenWei',
        'quoteWei',
        'ethWei',
        'venue',
        'txHash',
      ),
      page.nextBeforeTs === null
        ? 'No more pages.'
        : `Next page: ${facts(page, 'nextBeforeTs', 'nextBeforeId')}`,
      ...(page.contractViolations ?? []),
      ...(page.notes ?? []),
    ),
});
