/**
 * Instruction layouts of Jupiter v6, the swap router. In the newer instructions (`..._v2`) the amounts precede the route
 * plan. In the older ones they follow the plan, which is therefore decoded step by step: the program ignores trailing bytes,
 * so the amounts cannot be read from the end of the data.
 */
import { lastBytes, u8, u16, u64 } from '../../transaction/codecs.ts';
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAMS } from '../../transaction/programs.ts';
import { anchorLayout, anchorNames } from '../anchor.ts';
import { byte, text } from '../derived.ts';
import { derived, fixed, oneAmong } from '../roles.ts';
import { routePlan } from './routePlan.ts';

export const JUPITER_PROGRAM = 'JUP6LkbZbjS1jKKwapdHNy74zcZ3tLUZoi5QNyVTaV4';

const program = JUPITER_PROGRAM;
const anyTokenProgram = oneAmong('readonly', TOKEN_PROGRAMS);
const own = {
  userTransferAuthority: 'signer',
  userSourceTokenAccount: 'writable',
  userDestinationTokenAccount: 'writable',
  sourceMint: 'readonly',
  destinationMint: 'readonly',
  sourceTokenProgram: anyTokenProgram,
  destinationTokenProgram: anyTokenProgram,
  /** Overrides the destination of the output. */
  destinationTokenAccount: 'writable?',
} as const;
/** Accounts of instructions that route through token accounts of the router. */
const shared = {
  programAuthority: derived('readonly', program, [text('authority'), byte('id')]),
  userTransferAuthority: 'signer',
  sourceTokenAccount: 'writable',
  programSourceTokenAccount: 'writable',
  programDestinationTokenAccount: 'writable',
  destinationTokenAccount: 'writable',
  sourceMint: 'readonly',
  destinationMint: 'readonly',
  sourceTokenProgram: anyTokenProgram,
  destinationTokenProgram: anyTokenProgram,
} as const;

/** Accounts of the older instructions, without the source mint. */
const ownBefore = {
  tokenProgram: anyTokenProgram,
  userTransferAuthority: 'signer',
  userSourceTokenAccount: 'writable',
  userDestinationTokenAccount: 'writable',
  /** Overrides the destination of the output. */
  destinationTokenAccount: 'writable?',
} as const;
/** Receives the platform fee. */
const platform = { platformFeeAccount: 'writable?' } as const;
const token2022Program = fixed('readonly?', TOKEN_2022_PROGRAM);
const sharedBefore = {
  tokenProgram: anyTokenProgram,
  programAuthority: shared.programAuthority,
  userTransferAuthority: 'signer',
  sourceTokenAccount: 'writable',
  programSourceTokenAccount: 'writable',
  programDestinationTokenAccount: 'writable',
  destinationTokenAccount: 'writable',
  sourceMint: 'readonly',
  destinationMint: 'readonly',
  ...platform,
  token2022Program,
} as const;

const exactIn = { inAmount: u64, quotedOutAmount: u64 } as const;
const exactOut = { outAmount: u64, quotedInAmount: u64 } as const;
const fees = {
  slippageBps: u16,
  platformFeeBps: u16,
  positiveSlippageBps: u16,
  routePlan: lastBytes,
} as const;
const feesBefore = { slippageBps: u16, platformFeeBps: u8 } as const;
const inferred = [
  'amounts paid and received: they follow the steps of the route, which a newer version of the program may encode differently',
];

export const jupiterLayouts = [
  anchorLayout('jupiter.routeV2', {
    program,
    accounts: own,
    args: { ...exactIn, ...fees },
    rest: 'readonly',
  }),
  anchorLayout('jupiter.exactOutRouteV2', {
    program,
    accounts: own,
    args: { ...exactOut, ...fees },
    rest: 'readonly',
  }),
  anchorLayout('jupiter.sharedAccountsRouteV2', {
    program,
    accounts: shared,
    args: { id: u8, ...exactIn, ...fees },
    rest: 'readonly',
  }),
  anchorLayout('jupiter.sharedAccountsExactOutRouteV2', {
    program,
    accounts: shared,
    args: { id: u8, ...exactOut, ...fees },
    rest: 'readonly',
  }),
  anchorLayout('jupiter.route', {
    program,
    accounts: { ...ownBefore, destinationMint: 'readonly', ...platform },
    args: { routePlan, ...exactIn, ...feesBefore },
    rest: 'readonly',
    inferred,
  }),
  anchorLayout('jupiter.exactOutRoute', {
    program,
    accounts: {
      ...ownBefore,
      sourceMint: 'readonly',
      destinationMint: 'readonly',
      ...platform,
      token2022Program,
    },
    args: { routePlan, ...exactOut, ...feesBefore },
    rest: 'readonly',
    inferred,
  }),
  anchorLayout('jupiter.sharedAccountsRoute', {
    program,
    accounts: sharedBefore,
    args: { id: u8, routePlan, ...exactIn, ...feesBefore },
    rest: 'readonly',
    inferred,
  }),
  anchorLayout('jupiter.sharedAccountsExactOutRoute', {
    program,
    accounts: sharedBefore,
    args: { id: u8, routePlan, ...exactOut, ...feesBefore },
    rest: 'readonly',
    inferred,
  }),
];

export const jupiterNamed = anchorNames(
  'claim',
  'claim_token',
  'close_token',
  'close_wsol_token_account',
  'create_token_account',
  'create_token_ledger',
  'route_with_token_ledger',
  'set_token_ledger',
  'shared_accounts_route_with_token_ledger',
);
