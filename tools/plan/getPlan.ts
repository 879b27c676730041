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
    'A plan from the journal: status, stages, signatures, decision. Starts nothing: submit_plan continues. Stage bytes: resource plan://{planId}/stages/{stageId}.',
  input: z.strictObject({ planId: ParamPlanId }),
  output: z.looseObject({ plan: planShape }),
  run: async ({ planId }, { plans }) => ({ plan: await plans.get(planId) }),
  text: ({ plan }) => planText(plan),
});
