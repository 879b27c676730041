/** Layouts of Titan, a swap router. The amounts are decoded; the following route steps are kept as bytes. */
import { lastBytes, u8, u16, u64 } from '../../transaction/codecs.ts';
import { TOKEN_PROGRAMS } from '../../transaction/programs.ts';
import { anchorNames, bareAnchorLayout } from '../anchor.ts';
import { text } from '../derived.ts';
import { derived, oneAmong } from '../roles.ts';

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
