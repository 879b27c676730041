/** Acts of the swap routers' instructions: maximum input, minimum output, and fees with their recipients. */
import type { AccountUse, Address } from '../../transaction/types.ts';
import type { Act } from '../acts.ts';
import { DAMM_V2_POOL_AUTHORITY, DAMM_V2_PROGRAM } from '../dammV2/addresses.ts';
import { DBC_POOL_AUTHORITY, DBC_PROGRAM } from '../dbc/addresses.ts';
import type { ActsOf } from '../program.ts';
import type { Limits } from '../trade.ts';
import { holder, type View } from '../view.ts';
import type { jupiterLayouts } from './instructions.ts';

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

type Named = Pick<Ends, 'sourceMint' | 'destinationMint' | 'platformFeeAccount'>;
interface Own extends Named {
  readonly userTransferAuthority: AccountUse;
  readonly userSourceTokenAccount: AccountUse;
  readonly userDestinationTokenAccount: AccountUse;
  readonly destinationTokenAccount?: AccountUse;
}
const endsOfOwn = (accounts: Own): Ends => ({
  ...accounts,
  authority: accounts.userTransferAuthority,
  source: accounts.userSourceTokenAccount,
  // The optional destination account takes precedence over the user's own.
  destination: accounts.destinationTokenAccount ?? accounts.userDestinationTokenAccount,
  isPaidBySteps: true,
  beside: accounts.destinationTokenAccount === undefined ? [] : [accounts.userDestinationTokenAccount],
});

interface Shared extends Named {
  readonly userTransferAuthority: AccountUse;
  readonly sourceTokenAccount: AccountUse;
  readonly programSourceTokenAccount: AccountUse;
  readonly programDestinationTokenAccount: AccountUse;
  readonly destinationTokenAccount: AccountUse;
}
const endsOfShared = (accounts: Shared): Ends => ({
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

export const jupiterActs: ActsOf<typeof jupiterLayouts> = {
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
};
