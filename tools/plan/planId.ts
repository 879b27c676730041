/** The plan id of all plan tools. */
import { z } from 'zod';

export const ParamPlanId = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,79}$/, { error: 'must be the planId of a result' })
  .describe('planId of a build result.');
