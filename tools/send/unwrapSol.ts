import { z } from 'zod';
import { publicKey, WRAPPED_SOL } from '../../src/contract/index.ts';
import { again } from '../build.ts';
import { briefly, builtFields, builtText } from '../planResult.ts';
import { MAX_ROWS } from '../rows.ts';
import { defineTool } from '../tool.ts';

/** Unwraps the wallet's wrapped SOL, which claims and sales may pay. */
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
    const { note, ...built } = briefly(await plans.build('unwrapSol', request, repeat));
    const { tokens } = await wallet
      .overview({ called: request.wallet, offset: 0, most: MAX_ROWS })
      .catch((): Record<string, unknown> => ({}));
    const wrapped = (Array.isArray(tokens) ? tokens : []).find(({ mint }) => mint === WRAPPED_SOL);
    const becomes = wrapped && `${wrapped.amount} wSOL becomes SOL; the rent of its account comes back.`;
    const notes = [note, becomes].filter(Boolean).join(' ');
    return { ...built, ...(notes === '' ? {} : { note: notes }) };
  },
  text: builtText,
});
