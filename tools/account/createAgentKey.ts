import { z } from 'zod';
import { ParamJwt, ParamKeyName } from '../../src/contract/index.ts';
import { facts } from '../resultText.ts';
import { defineTool } from '../tool.ts';

/** Stores the key in the secret store; the result contains its id only (C-KEY). */
export const createAgentKey = defineTool({
  name: 'create_agent_key',
  title: 'Create agent API key',
  domain: 'account',
  effect: 'write',
  description:
    'Exchanges a login JWT for an API key that goes to the secret store, never shown. Only when get_status shows no key. Do not repeat after a timeout: a key may exist.',
  input: z.strictObject({
    name: ParamKeyName,
    token: ParamJwt.describe('Last resort, the model sees it: prefer `countersign login`.').optional(),
  }),
  output: z.looseObject({
    keyId: z.unknown().optional(),
    userId: z.unknown().optional(),
    name: z.unknown().optional(),
    status: z.unknown().optional(),
    createdAt: z.unknown().optional(),
    storedIn: z.unknown().optional(),
  }),
  run: ({ name, token }, { account }) => account.createKey(name, token),
  text: (result) =>
    `Key stored: ${facts(result, 'keyId', 'name', 'status', 'createdAt', 'storedIn', 'warning', 'next')}. The key itself is never shown.`,
});
