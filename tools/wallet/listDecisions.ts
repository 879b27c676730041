import { z } from 'zod';
import { integer } from '../../src/contract/index.ts';
import { ParamPlanId } from '../plan/planId.ts';
import { heading, say } from '../say.ts';
import { defineTool } from '../tool.ts';

const DEFAULT_LIMIT = 20;

/** Rows of the hash-chained decision record, newest first, with every check that was made. */
export const listDecisions = defineTool({
  name: 'list_decisions',
  title: 'List decisions',
  domain: 'wallet',
  effect: 'read',
  description:
    'Recorded policy decisions, newest first, each with its checks, reason codes and limits. To explain why something was allowed or refused.',
  input: z.strictObject({
    planId: ParamPlanId.describe('Only this plan.').nullish(),
    limit: integer(1, 100, 'Default 20.').nullish(),
    before: integer(1, Number.MAX_SAFE_INTEGER, 'Only rows below this sequence.').nullish(),
  }),
  output: z.looseObject({
    decisions: z.array(
      z.object({
        sequence: z.number(),
        time: z.number(),
        planId: z.string(),
        stageId: z.string(),
        decision: z.object({
          effect: z.string(),
          reasonCodes: z.array(z.string()).readonly(),
          explain: z.string(),
        }),
      }),
    ),
    nextBefore: z.number().nullable(),
  }),
  async run(input, { decisions }) {
    const limit = input.limit ?? DEFAULT_LIMIT;
    const rows = await decisions.list({
      limit,
      ...(typeof input.planId === 'string' ? { planId: input.planId } : {}),
      ...(typeof input.before === 'number' ? { before: input.before } : {}),
    });
    return { decisions: rows, nextBefore: rows.length < limit ? null : (rows.at(-1)?.sequence ?? null) };
  },
  text: ({ decisions, nextBefore }) =>
    say(
      heading(decisions.length, 'decision'),
      ...decisions.map(
        ({ sequence, planId, stageId, decision }) =>
          `- #${sequence} ${planId}/${stageId}: ${decision.effect}${decision.reasonCodes.length > 0 ? ` [${decision.reasonCodes.join(', ')}]` : ''} ${decision.explain}`,
      ),
      nextBefore !== null && `More: before ${nextBefore}.`,
    ),
});
