import { z } from 'zod';
import { publicKey } from '../../src/contract/index.ts';
import { again } from '../build.ts';
import { briefly, builtFields, builtText } from '../planResult.ts';
import { defineTool } from '../tool.ts';

/** Wrapped SOL of the wallet becomes SOL; claims and sales may bring it wrapped. */
export const unwrapSol = defineTool({
  name: 'unwrap_sol',
  title: 'Unwrap SOL',
  domain: 'send',
  effect: 'build',
  description: 'Builds the unwrapping of all wrapped SOL (wSOL) of the wallet.',
  input: z.strictObject({ wallet: publicKey('Signs. Default: yours.').nullish(), again }),
  output: z.looseObject(builtFields),
  async run({ again: repeat, ...input }, { plans, wallet }) {
    const request = { wallet: input.wallet ?? (await wallet.address()) };
    return briefly(await plans.build('unwrapSol', request, repeat));
  },
  text: builtText,
});
