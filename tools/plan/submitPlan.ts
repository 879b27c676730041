import { z } from 'zod';
import { integer } from '../../src/contract/index.ts';
import { brief, planShape, planText } from '../planResult.ts';
import { defineTool } from '../tool.ts';
import { ParamPlanId } from './planId.ts';

/** Default wait, below the usual client timeout of 60 seconds; execution continues in the background. */
const DEFAULT_WAIT_SECONDS = 45;

/** The only tool that signs. Starts, continues or reports a run; repeated calls are idempotent. */
export const submitPlan = defineTool({
  name: 'submit_plan',
  title: 'Submit plan',
  domain: 'plan',
  effect: 'submit',
  idempotent: true,
  description:
    'Decides each stage, signs what the policy allows and lands it exactly once. Starts, continues or reports; repeating is safe. Work goes on after waitSeconds: call again or get_plan. When denied or approval_required tell the person; no argument changes it.',
  input: z.strictObject({
    planId: ParamPlanId,
    waitSeconds: integer(0, 300, 'Default 45.').nullish(),
  }),
  output: z.looseObject({ plan: planShape }),
  run: async ({ planId, waitSeconds }, { plans, progress, signal }) => ({
    plan: brief(await plans.submit(planId, waitSeconds ?? DEFAULT_WAIT_SECONDS, progress, signal)),
  }),
  text: ({ plan }) => planText(plan),
});
