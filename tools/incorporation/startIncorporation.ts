import { z } from 'zod';
import { startIncorporation as endpoint } from '../../src/contract/index.ts';
import { cleaned, stated } from '../outside.ts';
import { facts, joinLines } from '../resultText.ts';
import { defineTool } from '../tool.ts';

/** Starts a legal process about real people; after a timeout, the list shows whether it started (F17). */
export const startIncorporation = defineTool({
  name: 'start_incorporation',
  title: 'Start incorporation',
  domain: 'incorporation',
  effect: 'write',
  destructive: true,
  description:
    'Starts the incorporation project of a token: a legal process that cannot be taken back; the policy must permit the token. After a timeout read list_incorporations before repeating.',
  input: endpoint.request,
  output: z.looseObject({ tokenAddress: z.string(), incorporationStarted: z.boolean() }),
  async run(input, { service, policy }) {
    await policy.permitIncorporation(input.tokenAddress);
    return cleaned(stated('startIncorporation', await service.call('startIncorporation', input)));
  },
  text: (result) =>
    joinLines(
      facts(result, 'tokenAddress', 'incorporationStarted'),
      result.incorporationStarted ? 'Follow it with list_incorporations.' : undefined,
    ),
});
