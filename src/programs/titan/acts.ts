/** Acts of Titan's swap: maximum input, minimum output, and fees. */
import type { ActsOf } from '../program.ts';
import { holder } from '../view.ts';
import type { titanLayouts } from './instructions.ts';

export const titanActs: ActsOf<typeof titanLayouts> = {
  'titan.swapRouteV2': ({ accounts, rest, args }, view) => [
    {
      act: 'swap',
      venue: 'Titan',
      input: accounts.inputMint.address,
      output: accounts.outputMint.address,
      maxIn: args.amount,
      minOut: args.minimumAmountOut,
      exact: 'in',
      source: holder(view, accounts.inputTokenAccount.address),
      destination: holder(view, accounts.outputTokenAccount.address),
      authority: accounts.payer.address,
      reaches: rest.map(({ address }) => address),
      feesBps: { provider: args.providerFeeBps, service: args.serviceFeeBps },
    },
  ],
};
