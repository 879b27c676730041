import { z } from 'zod';
import { own } from '../say.ts';
import { defineTool } from '../tool.ts';

/** The wallet's address and balances, from our own RPC. No tool shows or takes a key. */
export const getWallet = defineTool({
  name: 'get_wallet',
  title: 'Get wallet',
  domain: 'wallet',
  effect: 'read',
  description: "The wallet's address with SOL and token balances in base units. It cannot show keys.",
  input: z.strictObject({}),
  output: z.looseObject({
    address: z.unknown().optional(),
    lamports: z.unknown().optional(),
    tokens: z.unknown().optional(),
  }),
  run: (_, { wallet }) => wallet.overview(),
  text: own,
});
