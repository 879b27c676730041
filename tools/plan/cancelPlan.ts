import { z } from 'zod';
import { brief, planShape, planText } from '../planResult.ts';
import { defineTool } from '../tool.ts';
import { ParamPlanId } from './planId.ts';

/** Takes a plan out of reach: no run of it signs anything more, in this process or another, even if a person approves it later. */
export const cancelPlan = defineTool({
  name: 'cancel_plan',
  title: 'Cancel plan',
  domain: 'plan',
  effect: 'write',
  idempotent: true,
  description:
    'Stops a plan for good: nothing more of it is signed. What was signed goes on, what landed stays, limits keep what it used. A complete plan is left as it is.',
  input: z.strictObject({ planId: ParamPlanId }),
  output: z.looseObject({ plan: planShape }),
  run: async ({ planId }, { plans }) => ({ plan: brief(await plans.cancel(planId)) }),
  text: ({ plan }) => planText(plan),
});
