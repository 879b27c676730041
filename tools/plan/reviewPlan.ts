import { z } from 'zod';
import { planShape, planText } from '../planResult.ts';
import { defineTool } from '../tool.ts';
import { ParamPlanId } from './planId.ts';

/** Decides every stage again on the current chain, without reserving or signing. */
export const reviewPlan = defineTool({
  name: 'review_plan',
  title: 'Review plan',
  domain: 'plan',
  effect: 'read',
  description:
    'Re-reads the chain and decides every stage anew, without signing. Optional: submit_plan decides again itself. When denied, a person must change what remedy names.',
  input: z.strictObject({ planId: ParamPlanId }),
  output: z.looseObject({ plan: planShape }),
  run: async ({ planId }, { plans }) => ({ plan: await plans.review(planId) }),
  text: ({ plan }) => planText(plan),
});
