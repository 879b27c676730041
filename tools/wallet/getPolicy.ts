import { z } from 'zod';
import { own } from '../resultText.ts';
import { defineTool } from '../tool.ts';

/** The policy in force; no tool changes it (docs/safety.md T57). */
export const getPolicy = defineTool({
  name: 'get_policy',
  title: 'Get policy',
  domain: 'wallet',
  effect: 'read',
  description:
    'The signing policy in force: rules, limits with what is left, freeze. Read it before planning something big. Only a person can change it, outside this conversation.',
  input: z.strictObject({}),
  output: z.looseObject({
    policyId: z.unknown().optional(),
    policyHash: z.unknown().optional(),
    rules: z.unknown().optional(),
    limits: z.unknown().optional(),
    frozen: z.unknown().optional(),
  }),
  run: (_, { policy }) => policy.view(),
  text: own,
});
