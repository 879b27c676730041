import { z } from 'zod';
import { evmCreatorEarnings } from '../../src/contract/index.ts';
import { fromOutside, stated, untrustedShape } from '../outside.ts';
import { defineTool } from '../tool.ts';
import { checksummed, zeroAddressNotes } from './address.ts';
import { inQuote } from './amounts.ts';

/** A wallet's earnings of an EVM token; user and token may be the same address (B53). */
export const getEvmCreatorEarnings = defineTool({
  name: 'get_evm_creator_earnings',
  title: 'Get EVM creator earnings',
  domain: 'evm',
  effect: 'read',
  description:
    'What one wallet earned from one token on EVM chain 4663: claimed, claimable and estimated pending. For all use get_evm_creator_roster.',
  input: evmCreatorEarnings.request,
  output: z.looseObject({
    token: z.string(),
    user: z.string(),
    claimableWei: z.unknown().optional(),
    claimedWei: z.unknown().optional(),
    pendingEstimateWei: z.unknown().optional(),
    quote: z.unknown().optional(),
    untrusted: untrustedShape,
  }),
  async run(input, { service }) {
    const tokenAddress = await checksummed(input.tokenAddress);
    const user = await checksummed(input.user);
    const answer = await service.call('evmCreatorEarnings', { tokenAddress, user });
    const { value, untrusted } = fromOutside(stated('evmCreatorEarnings', answer), ['quote.symbol']);
    const notes = zeroAddressNotes(tokenAddress, user);
    return { ...inQuote(value, value.quote), ...(notes.length > 0 ? { notes } : {}), untrusted };
  },
});
