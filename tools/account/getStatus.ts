import { z } from 'zod';
import { defineTool } from '../tool.ts';

/** The service's ping and the state of this home. An unavailable service is part of the answer, not an error. */
export const getStatus = defineTool({
  name: 'get_status',
  title: 'Get status',
  domain: 'account',
  effect: 'read',
  description:
    'Mode, service, chain, wallet, key and rate limit at a glance. Start here, and after availability errors.',
  input: z.strictObject({}),
  output: z.looseObject({
    mode: z.string(),
    now: z.unknown().optional(),
    service: z.unknown().optional(),
    rootUrl: z.unknown().optional(),
    rpcUrl: z.unknown().optional(),
    network: z.unknown().optional(),
    wallet: z.unknown().optional(),
    keyState: z.unknown().optional(),
    rateLimit: z.unknown().optional(),
    frozen: z.unknown().optional(),
  }),
  run: async (_, { account, mode }) => ({ mode, ...(await account.status()) }),
});
