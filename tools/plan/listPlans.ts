import { z } from 'zod';
import { integer } from '../../src/contract/index.ts';
import { planShape } from '../planResult.ts';
import { heading, say } from '../say.ts';
import { defineTool } from '../tool.ts';

const DEFAULT_LIMIT = 20;

/** Plans of this home, newest first; an offset beyond the end is an empty page (B77). */
export const listPlans = defineTool({
  name: 'list_plans',
  title: 'List plans',
  domain: 'plan',
  effect: 'read',
  description:
    'Plans of this wallet, newest first: what is open, in doubt or done. Look here after a restart or lost answer, before building again.',
  input: z.strictObject({
    limit: integer(1, 100, 'Default 20.').nullish(),
    offset: integer(0, 1_000_000, 'Default 0.').nullish(),
  }),
  output: z.looseObject({ plans: z.array(planShape), nextOffset: z.number().nullable() }),
  async run(input, { plans }) {
    const limit = input.limit ?? DEFAULT_LIMIT;
    const offset = input.offset ?? 0;
    const page = await plans.list({ limit, offset });
    return { plans: page, nextOffset: page.length < limit ? null : offset + page.length };
  },
  text: ({ plans, nextOffset }) =>
    say(
      heading(plans.length, 'plan'),
      ...plans.map(
        (plan) =>
          `- ${plan.planId} ${plan.operation}: ${plan.status}, ${plan.stages.length} ${plan.stages.length === 1 ? 'stage' : 'stages'}, ${plan.decision.effect}`,
      ),
      nextOffset !== null && `More from offset ${nextOffset}.`,
    ),
});
