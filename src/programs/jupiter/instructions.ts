/**
 * Jupiter v6, the swap router, as far as its amounts come first: then they are read from the front, and the plan
 * of the route, whose steps this reader does not know, follows them. In the older instructions the amounts stand
 * behind the plan; they are known by name only, because the program ignores bytes after its arguments and what
 * stands last is therefore not what counts.
 */
import { lastBytes, u8, u16, u64 } from '../../transaction/codecs.ts';
import { TOKEN_PROGRAMS } from '../../transaction/programs.ts';
import { anchorLayout, anchorNames } from '../anchor.ts';
import { byte, text } from '../derived.ts';
import { derived, oneAmong } from '../roles.ts';

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
  /** Where the output goes instead, when it is there. */
  destinationTokenAccount: 'writable?',
} as const;
/** The router's own accounts stand between. */
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

const exactIn = { inAmount: u64, quotedOutAmount: u64 } as const;
const exactOut = { outAmount: u64, quotedInAmount: u64 } as const;
const fees = {
  slippageBps: u16,
  platformFeeBps: u16,
  positiveSlippageBps: u16,
  routePlan: lastBytes,
} as const;

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
];

export const jupiterNamed = anchorNames(
  'claim',
  'claim_token',
  'close_token',
  'close_wsol_token_account',
  'create_token_account',
  'create_token_ledger',
  'exact_out_route',
  'route',
  'route_with_token_ledger',
  'set_token_ledger',
  'shared_accounts_exact_out_route',
  'shared_accounts_route',
  'shared_accounts_route_with_token_ledger',
);
