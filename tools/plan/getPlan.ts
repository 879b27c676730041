import { z } from 'zod';
import { planShape, planText } from '../planResult.ts';
import { defineTool } from '../tool.ts';
import { ParamPlanId } from './planId.ts';

/** What is known about a plan, from the journal; starts nothing. */
export const getPlan = defineTool({
  name: 'get_plan',
  title: 'Get plan',
  domain: 'plan',
  effect: 'read',
  description:
    'Status, stages, signatures and decision of a plan, from the journal. Starts nothing: to continue use submit_plan. Bytes of a stage: resource plan://{planId}/stages/{stageId}.',
  input: z.strictObject({ planId: ParamPlanId }),
  output: z.looseObject({ plan: planShape }),
  run: async ({ planId }, { plans }) => ({ plan: await plans.get(planId) }),
  text: ({ plan }) => planText(plan),
});
