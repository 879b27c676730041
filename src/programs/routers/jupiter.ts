/**
 * Jupiter v6, the swap router. In the newer instructions (`..._v2`) the amounts precede the route
 * plan. In the older ones they follow the plan, which is therefore decoded step by step: the program ignores trailing bytes,
 * so the amounts cannot be read from the end of the data.
 */
import { lastBytes, u8, u16, u64 } from '../../transaction/codecs.ts';
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAMS } from '../../transaction/programs.ts';
import type { AccountUse, Address } from '../../transaction/types.ts';
import type { Act } from '../acts.ts';
import { anchorLayout, anchorNames } from '../anchor.ts';
import { DAMM_V2_POOL_AUTHORITY, DAMM_V2_PROGRAM } from '../dammV2/addresses.ts';
import { DBC_POOL_AUTHORITY, DBC_PROGRAM } from '../dbc/addresses.ts';
import { byte, text } from '../derived.ts';
import { defineProgram, type InstructionIn } from '../program.ts';
import { derived, fixed, oneAmong } from '../roles.ts';
import type { Limits } from '../trade.ts';
import { holder, type View } from '../view.ts';
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

const amountsIn = { inAmount: u64, quotedOutAmount: u64 } as const;
const amountsOut = { outAmount: u64, quotedInAmount: u64 } as const;
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
    args: { ...amountsIn, ...fees },
    rest: 'readonly',
  }),
  anchorLayout('jupiter.exactOutRouteV2', {
    program,
    accounts: own,
    args: { ...amountsOut, ...fees },
    rest: 'readonly',
  }),
  anchorLayout('jupiter.sharedAccountsRouteV2', {
    program,
    accounts: shared,
    args: { id: u8, ...amountsIn, ...fees },
    rest: 'readonly',
  }),
  anchorLayout('jupiter.sharedAccountsExactOutRouteV2', {
    program,
    accounts: shared,
    args: { id: u8, ...amountsOut, ...fees },
    rest: 'readonly',
  }),
  anchorLayout('jupiter.route', {
    program,
    accounts: { ...ownBefore, destinationMint: 'readonly', ...platform },
    args: { routePlan, ...amountsIn, ...feesBefore },
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
    args: { routePlan, ...amountsOut, ...feesBefore },
    rest: 'readonly',
    inferred,
  }),
  anchorLayout('jupiter.sharedAccountsRoute', {
    program,
    accounts: sharedBefore,
    args: { id: u8, routePlan, ...amountsIn, ...feesBefore },
    rest: 'readonly',
    inferred,
  }),
  anchorLayout('jupiter.sharedAccountsExactOutRoute', {
    program,
    accounts: sharedBefore,
    args: { id: u8, routePlan, ...amountsOut, ...feesBefore },
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

const BASIS = 10_000n;

interface Fees {
  readonly slippageBps: number;
  readonly platformFeeBps: number;
  readonly positiveSlippageBps?: number;
}

/** Returns the minimum output: the quoted amount less the slippage, rounded down like the program does. */
export const leastOf = (quoted: bigint, slippageBps: number): bigint => {
  const kept = BASIS - BigInt(slippageBps);
  return kept < 0n ? 0n : (quoted * kept) / BASIS;
};
/** Returns the maximum input: the quoted amount plus the slippage, rounded up. */
export const mostOf = (quoted: bigint, slippageBps: number): bigint =>
  (quoted * (BASIS + BigInt(slippageBps)) + BASIS - 1n) / BASIS;

/** Supported venues by program: the pool authority, which follows the program, and the offset of the output account. */
const STEPS: ReadonlyMap<Address, readonly [authority: Address, paid: number]> = new Map([
  [DAMM_V2_PROGRAM, [DAMM_V2_POOL_AUTHORITY, 4]],
  [DBC_PROGRAM, [DBC_POOL_AUTHORITY, 5]],
]);

/**
 * Returns an account that a step pays instead of the destination. The router enforces its minimum on the output of the steps,
 * whichever account receives it (published binary).
 */
function paidElsewhere(rest: readonly AccountUse[], { address: paid }: AccountUse): Address | undefined {
  const accounts = rest.map(({ address }) => address);
  if (!accounts.includes(paid)) return paid;
  return accounts
    .map((program, i) => {
      const step = STEPS.get(program);
      return step !== undefined && accounts[i + 1] === step[0] ? accounts[i + step[1]] : undefined;
    })
    .find((account) => account !== undefined && account !== paid);
}

interface Ends {
  readonly authority: AccountUse;
  readonly source: AccountUse;
  readonly destination: AccountUse;
  /** Absent if the instruction does not name it; then the source account determines it. */
  readonly sourceMint?: AccountUse;
  readonly destinationMint: AccountUse;
  readonly platformFeeAccount?: AccountUse;
  /** Whether the steps pay the destination; in the shared instructions they pay accounts of the router. */
  readonly isPaidBySteps?: true;
  /** Token accounts of the router or replaced by another account; none of them may be ours. */
  readonly beside: readonly AccountUse[];
}

function swap(
  view: View,
  ends: Ends,
  rest: readonly AccountUse[],
  limits: Limits,
  fees: Fees,
): readonly Act[] {
  const { sourceMint, platformFeeAccount } = ends;
  const input = sourceMint?.address ?? view.tokenAccount(ends.source.address)?.mint;
  const elsewhere = ends.isPaidBySteps && paidElsewhere(rest, ends.destination);
  const { platformFeeBps, positiveSlippageBps } = fees;
  return [
    {
      act: 'swap',
      venue: 'Jupiter',
      ...(input === undefined ? {} : { input }),
      output: ends.destinationMint.address,
      ...limits,
      source: holder(view, ends.source.address),
      destination: holder(view, ends.destination.address),
      authority: ends.authority.address,
      ...(elsewhere === undefined ? {} : { paidElsewhere: elsewhere }),
      reaches: [...ends.beside, ...rest].map(({ address }) => address),
      ...(platformFeeAccount === undefined ? {} : { referral: platformFeeAccount.address }),
      feesBps: {
        platform: platformFeeBps,
        ...(positiveSlippageBps === undefined ? {} : { positiveSlippage: positiveSlippageBps }),
      },
    },
  ];
}

type Own = 'routeV2' | 'exactOutRouteV2' | 'route' | 'exactOutRoute';
const endsOfOwn = (accounts: InstructionIn<typeof jupiterLayouts, `jupiter.${Own}`>['accounts']): Ends => ({
  ...accounts,
  authority: accounts.userTransferAuthority,
  source: accounts.userSourceTokenAccount,
  // The optional destination account takes precedence over the user's own.
  destination: accounts.destinationTokenAccount ?? accounts.userDestinationTokenAccount,
  isPaidBySteps: true,
  beside: accounts.destinationTokenAccount === undefined ? [] : [accounts.userDestinationTokenAccount],
});

type Shared = `jupiter.sharedAccounts${'' | 'ExactOut'}Route${'' | 'V2'}`;
const endsOfShared = (accounts: InstructionIn<typeof jupiterLayouts, Shared>['accounts']): Ends => ({
  ...accounts,
  authority: accounts.userTransferAuthority,
  source: accounts.sourceTokenAccount,
  destination: accounts.destinationTokenAccount,
  beside: [accounts.programSourceTokenAccount, accounts.programDestinationTokenAccount],
});

type ExactIn = Fees & { readonly inAmount: bigint; readonly quotedOutAmount: bigint };
const exactIn = ({ inAmount, quotedOutAmount, slippageBps }: ExactIn): Limits => ({
  maxIn: inAmount,
  minOut: leastOf(quotedOutAmount, slippageBps),
  exact: 'in',
});
type ExactOut = Fees & { readonly outAmount: bigint; readonly quotedInAmount: bigint };
const exactOut = ({ outAmount, quotedInAmount, slippageBps }: ExactOut): Limits => ({
  maxIn: mostOf(quotedInAmount, slippageBps),
  minOut: outAmount,
  exact: 'out',
});

export const jupiter = defineProgram({
  name: 'Jupiter v6',
  addresses: [JUPITER_PROGRAM],
  source:
    'a published interface of the program; `route_v2`, `route` and `shared_accounts_route` were run with the real program. The values of the venues of a route are not interpreted',
  layouts: jupiterLayouts,
  named: jupiterNamed,
  acts: {
    'jupiter.routeV2': ({ accounts, rest, args }, view) =>
      swap(view, endsOfOwn(accounts), rest, exactIn(args), args),
    'jupiter.exactOutRouteV2': ({ accounts, rest, args }, view) =>
      swap(view, endsOfOwn(accounts), rest, exactOut(args), args),
    'jupiter.sharedAccountsRouteV2': ({ accounts, rest, args }, view) =>
      swap(view, endsOfShared(accounts), rest, exactIn(args), args),
    'jupiter.sharedAccountsExactOutRouteV2': ({ accounts, rest, args }, view) =>
      swap(view, endsOfShared(accounts), rest, exactOut(args), args),
    'jupiter.route': ({ accounts, rest, args }, view) =>
      swap(view, endsOfOwn(accounts), rest, exactIn(args), args),
    'jupiter.exactOutRoute': ({ accounts, rest, args }, view) =>
      swap(view, endsOfOwn(accounts), rest, exactOut(args), args),
    'jupiter.sharedAccountsRoute': ({ accounts, rest, args }, view) =>
      swap(view, endsOfShared(accounts), rest, exactIn(args), args),
    'jupiter.sharedAccountsExactOutRoute': ({ accounts, rest, args }, view) =>
      swap(view, endsOfShared(accounts), rest, exactOut(args), args),
  },
});
