import { z } from 'zod';
import { evmCreatorRoster } from '../../src/contract/index.ts';
import { fromOutside, stated, untrustedShape } from '../outside.ts';
import { fromOffset, ParamOffset, pageOf } from '../rows.ts';
import { defineTool } from '../tool.ts';
import { checksummed, zeroAddressNotes } from './address.ts';
import { inQuote } from './amounts.ts';

/** Fee recipients of an EVM token; pending amounts are estimates (C-EVM). */
export const getEvmCreatorRoster = defineTool({
  name: 'get_evm_creator_roster',
  title: 'Get EVM creator roster',
  domain: 'evm',
  effect: 'read',
  description:
    'Fee recipients of a token on EVM chain 4663 with shares and amounts; pendingWei is an estimate. For one wallet use get_evm_creator_earnings.',
  input: evmCreatorRoster.request.extend({ offset: ParamOffset }),
  output: z.looseObject({
    token: z.string(),
    recipients: z.array(z.looseObject({})),
    nextOffset: z.number().nullish(),
    partner: z.unknown().optional(),
    quote: z.unknown().optional(),
    untrusted: untrustedShape,
  }),
  async run(input, { service }) {
    const tokenAddress = await checksummed(input.tokenAddress);
    const answer = stated('evmCreatorRoster', await service.call('evmCreatorRoster', { tokenAddress }));
    const { recipients: all } = answer;
    const { value, untrusted } = fromOutside({ ...answer, recipients: fromOffset(all, input.offset) }, [
      'quote.symbol',
    ]);
    const notes = zeroAddressNotes(tokenAddress);
    const { rows, cursor } = pageOf(
      value.recipients.map((each) => inQuote(each, value.quote)),
      all.length,
      input.offset,
    );
    return { ...cursor, ...value, recipients: rows, ...(notes.length > 0 ? { notes } : {}), untrusted };
  },
});
