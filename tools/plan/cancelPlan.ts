import { z } from 'zod';
import { brief, planShape, planText } from '../planResult.ts';
import { defineTool } from '../tool.ts';
import { ParamPlanId } from './planId.ts';

/** Cancels a plan: no run of it signs again, in any process, even after a later approval. */
export const cancelPlan = defineTool({
  name: 'cancel_plan',
  title: 'Cancel plan',
  domain: 'plan',
  effect: 'write',
  idempotent: true,
  description:
    'Stops a plan for good: no further signatures. Signed transactions continue, landed ones stay, limits keep their use. A complete plan is unchanged.',
  input: z.strictObject({ planId: ParamPlanId }),
  output: z.looseObject({ plan: planShape }),
  run: async ({ planId }, { plans }) => ({ plan: brief(await plans.cancel(planId)) }),
  text: ({ plan }) => planText(plan),
});
