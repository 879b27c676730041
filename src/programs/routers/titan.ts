/** Titan, a swap router. The amounts are decoded; the following route steps are kept as bytes. */
import { lastBytes, u8, u16, u64 } from '../../transaction/codecs.ts';
import { TOKEN_PROGRAMS } from '../../transaction/programs.ts';
import { anchorNames, bareAnchorLayout } from '../anchor.ts';
import { text } from '../derived.ts';
import { defineProgram } from '../program.ts';
import { derived, oneAmong } from '../roles.ts';
import { holder } from '../view.ts';

export const TITAN_PROGRAM = 'T1TANpTeScyeqVzzgNViGDNrkQ6qHz9KrSBS4aNXvGT';

const anyTokenProgram = oneAmong('readonly', TOKEN_PROGRAMS);

export const titanLayouts = [
  bareAnchorLayout('titan.swapRouteV2', {
    program: TITAN_PROGRAM,
    accounts: {
      payer: 'writableSigner',
      atlas: derived('readonly', TITAN_PROGRAM, [text('atlas')]),
      inputMint: 'readonly',
      inputTokenAccount: 'writable',
      outputMint: 'readonly',
      outputTokenAccount: 'writable',
      inputTokenProgram: anyTokenProgram,
      outputTokenProgram: anyTokenProgram,
    },
    args: {
      amount: u64,
      minimumAmountOut: u64,
      mints: u8,
      providerFeeBps: u16,
      serviceFeeBps: u16,
      swaps: lastBytes,
    },
    rest: 'readonly',
    inferred: [
      'amounts paid and received: the layout comes from a published example and was not compared with a transaction',
    ],
  }),
];

export const titanNamed = anchorNames('swap_route');

export const titan = defineProgram({
  name: 'Titan',
  addresses: [TITAN_PROGRAM],
  source:
    'an example published by the makers of the program, which has not been run. The steps of a route are kept as bytes',
  layouts: titanLayouts,
  named: titanNamed,
  acts: {
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
  },
});
