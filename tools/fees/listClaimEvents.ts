import { z } from 'zod';
import { checkClaimEvents, claimEventsFields, unreadRows } from '../../src/contract/index.ts';
import { cleaned } from '../outside.ts';
import { fitting, fromOffset, ParamOffset, pageOf, picked } from '../rows.ts';
import { timeArgument } from '../times.ts';
import { defineTool } from '../tool.ts';

const SHOWN = ['timestamp', 'wallet', 'amount', 'isCreator', 'signature'] as const;
const MAX_EVENTS = 100;

/** Events have no currency. */
const CURRENCY = "Amounts are base units of the token's quote mint (list_claimable_positions names it).";

/** Past claims of a token, by page or by time (C-EVENT). */
export const listClaimEvents = defineTool({
  name: 'list_claim_events',
  title: 'List claim events',
  domain: 'fees',
  effect: 'read',
  description:
    'Past fee claims of a token, newest first, or of a period (mode time, from, to). Not what is claimable now: list_claimable_positions.',
  input: z
    .strictObject({
      ...claimEventsFields,
      offset: ParamOffset,
      from: timeArgument('ISO time, mode time.').nullish(),
      to: timeArgument('ISO time, mode time.').nullish(),
    })
    // The contract gives a period whole: its pages are cut here.
    .superRefine(({ offset, ...value }, context) =>
      checkClaimEvents(value.mode === 'time' ? value : { ...value, offset }, context),
    ),
  output: z.looseObject({
    events: z.array(z.looseObject({})),
    note: z.string(),
    nextOffset: z.number().nullish(),
  }),
  async run({ offset, ...input }, { service }) {
    const isPeriod = input.mode === 'time';
    const answer = await service.call('claimEvents', isPeriod ? input : { ...input, offset });
    const all = cleaned(answer).events.map((event) => picked(event, SHOWN));
    if (isPeriod) {
      const { rows, cursor } = pageOf(fromOffset(all, offset), all.length, offset);
      return { ...cursor, events: rows, note: CURRENCY };
    }
    const events = all.slice(0, fitting(all));
    // Rows that could not be read count: the service counts them too.
    const sent = all.length + unreadRows(answer);
    const next = (offset ?? 0) + (events.length < all.length ? events.length : sent);
    const isLast = events.length === all.length && sent < (input.limit ?? MAX_EVENTS);
    return { nextOffset: isLast ? null : next, events, note: CURRENCY };
  },
});
