import { z } from 'zod';
import { checkClaimEvents, claimEventsFields, unreadRows } from '../../src/contract/index.ts';
import { cleaned } from '../outside.ts';
import { picked } from '../rows.ts';
import { say, whole } from '../say.ts';
import { defineTool } from '../tool.ts';

const SHOWN = ['timestamp', 'wallet', 'amount', 'isCreator', 'signature'] as const;

/** Events name no currency. */
const CURRENCY = "Amounts are base units of the token's quote mint (list_claimable_positions names it).";

/** Past claims of a token, by page or by time (C-EVENT). */
export const listClaimEvents = defineTool({
  name: 'list_claim_events',
  title: 'List claim events',
  domain: 'fees',
  effect: 'read',
  description:
    'Past fee claims of a token, by page (limit, offset) or by time (mode time, from, to). Not what is claimable now: list_claimable_positions.',
  input: z.strictObject(claimEventsFields).superRefine(checkClaimEvents),
  output: z.looseObject({
    events: z.array(z.looseObject({})),
    note: z.string(),
    nextOffset: z.number().nullish(),
  }),
  async run(input, { service }) {
    const answer = await service.call('claimEvents', input);
    const sent = answer.events.length + unreadRows(answer);
    const events = cleaned(answer).events.map((event) => picked(event, SHOWN));
    const note = CURRENCY;
    if (input.mode === 'time') return { events, note };
    const full = sent >= (input.limit ?? 100);
    return { events, note, nextOffset: full ? (input.offset ?? 0) + sent : null };
  },
  text: ({ nextOffset, ...result }) =>
    say(whole(result), typeof nextOffset === 'number' && `More from offset ${nextOffset}.`),
});
