import { z } from 'zod';
import { isRecord } from '../../src/base/record.ts';
import { cleaned } from '../outside.ts';
import { planShape, planText } from '../planResult.ts';
import { joinLines, whole } from '../resultText.ts';
import { defineTool } from '../tool.ts';
import { ParamPlanId } from './planId.ts';

/** Reads a plan's state from the journal. */
export const getPlan = defineTool({
  name: 'get_plan',
  title: 'Get plan',
  domain: 'plan',
  effect: 'read',
  description:
    'A plan from the journal: status, stages, signatures, decision. Starts nothing: submit_plan continues. Stage bytes: resource plan://{planId}/stages/{stageId}.',
  input: z.strictObject({
    planId: ParamPlanId,
    detail: z.boolean().describe("The service's own fields too.").nullish(),
  }),
  output: z.looseObject({ plan: planShape }),
  async run({ planId, detail }, { plans }) {
    const plan = await plans.get(planId);
    return { plan, ...(detail === true ? { stated: cleaned(await plans.stated(planId)) } : {}) };
  },
  text: ({ plan, stated }) =>
    joinLines(planText(plan), isRecord(stated) && `As the service states it:\n${whole(stated, [])}`),
});
