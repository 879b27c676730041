import { z } from 'zod';
import { checkClaimEvents, claimEventsFields } from '../../src/contract/index.ts';
import { cleaned, stated } from '../outside.ts';
import { table } from '../say.ts';
import { defineTool } from '../tool.ts';

/** Past claims of a token, by page or by time (C-EVENT). */
export const listClaimEvents = defineTool({
  name: 'list_claim_events',
  title: 'List claim events',
  domain: 'fees',
  effect: 'read',
  description:
    'Past fee claims of a token, by page (limit, offset) or by time (mode time, from, to). Not what is claimable now: list_claimable_positions.',
  input: z.strictObject(claimEventsFields).superRefine(checkClaimEvents),
  output: z.looseObject({ events: z.array(z.looseObject({})), nextOffset: z.number().nullish() }),
  async run(input, { service }) {
    const answer = cleaned(stated('claimEvents', await service.call('claimEvents', input)));
    if (input.mode === 'time') return answer;
    const full = answer.events.length >= (input.limit ?? 100);
    return { ...answer, nextOffset: full ? (input.offset ?? 0) + answer.events.length : null };
  },
  text: ({ events, nextOffset }) =>
    table(
      `${events.length} ${events.length === 1 ? 'claim' : 'claims'}${typeof nextOffset === 'number' ? `, more from offset ${nextOffset}` : ''}:`,
      events,
      'timestamp',
      'wallet',
      'amount',
      'isCreator',
      'signature',
    ),
});
