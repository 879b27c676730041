import { z } from 'zod';
import { ParamJwt, ParamKeyName } from '../../src/contract/index.ts';
import { facts } from '../say.ts';
import { defineTool } from '../tool.ts';

/** The key goes to the secret store; the result names it without showing it (C-KEY). */
export const createAgentKey = defineTool({
  name: 'create_agent_key',
  title: 'Create agent API key',
  domain: 'account',
  effect: 'write',
  description:
    'Exchanges a login JWT for an API key, kept in the secret store and never shown. Only when get_status says no key is stored. After a timeout do not repeat: a key may exist.',
  input: z.strictObject({
    name: ParamKeyName,
    token: ParamJwt.describe(
      'Last resort: passes through the model. Prefer COUNTERSIGN_JWT or `countersign login`.',
    ).optional(),
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
    `Key stored: ${facts(result, 'keyId', 'name', 'status', 'createdAt', 'storedIn')}. The key itself is never shown.`,
});
