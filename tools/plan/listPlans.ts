import { z } from 'zod';
import { integer } from '../../src/contract/index.ts';
import { heading, joinLines, line } from '../resultText.ts';
import { fitting } from '../rows.ts';
import { defineTool } from '../tool.ts';

const DEFAULT_LIMIT = 10;

const row = z.object({
  planId: z.string(),
  status: z.string(),
  createdAt: z.string().optional(),
  asked: z.string().optional(),
});

/** Plans of this home, newest first, one line each; an offset beyond the end is an empty page (B77). */
export const listPlans = defineTool({
  name: 'list_plans',
  title: 'List plans',
  domain: 'plan',
  effect: 'read',
  description:
    'Plans of this wallet, newest first, one line each: when, what, how it stands. Look here after a restart or lost answer, before building again; get_plan tells more.',
  input: z.strictObject({
    limit: integer(1, 100, 'Default 10.').nullish(),
    offset: integer(0, 1_000_000, 'Default 0.').nullish(),
  }),
  output: z.looseObject({
    nextOffset: z.number().nullable(),
    more: z.number().optional(),
    plans: z.array(row),
  }),
  async run(input, { plans }) {
    const limit = input.limit ?? DEFAULT_LIMIT;
    const offset = input.offset ?? 0;
    const page = await plans.list({ limit, offset });
    const rows = page.map(({ planId, operation, status, createdAt, asked }) => ({
      planId,
      status,
      ...(createdAt === undefined ? {} : { createdAt }),
      asked: asked ?? operation,
    }));
    const count = fitting(rows);
    const next = offset + count;
    const isLast = count === rows.length && rows.length < limit;
    const more = isLast ? 0 : Math.max(0, (await plans.count()) - next);
    return {
      ...(more === 0 ? { nextOffset: null } : { nextOffset: next, more }),
      plans: rows.slice(0, count),
    };
  },
  text: ({ plans, nextOffset, more }) =>
    joinLines(
      nextOffset !== null && line({ nextOffset, more }),
      heading(plans.length, 'plan'),
      ...plans.map(
        ({ planId, status, createdAt, asked }) => `- ${planId} ${status} ${createdAt ?? ''}: ${asked ?? ''}`,
      ),
    ),
});
