/**
 * The least that the wallet's accounts may hold once a transaction is over, from its lines, its acts and the balances
 * before it. Of two views of the chain the higher balance counts: where one is wrong, the transaction fails.
 */
import type { Act, Asset, Holder } from '../programs/acts.ts';
import { mintOf, tokenAccountOf } from '../programs/token/accounts.ts';
import type { AccountFact } from '../rpc/types.ts';
import type { Line } from '../statement/types.ts';
import { assetOf } from '../statement/view.ts';
import { associatedTokenAddress } from '../transaction/derive.ts';
import { SYSTEM_PROGRAM, TOKEN_PROGRAM, WSOL_MINT } from '../transaction/programs.ts';
import type { AccountUse, Address } from '../transaction/types.ts';

/** A decided stage without guards, and the accounts before it as each source shows them. */
export interface Promised {
  readonly wallet: Address;
  readonly loaded: readonly AccountUse[];
  readonly acts: readonly Act[];
  readonly lines: readonly Line[];
  readonly views: readonly ReadonlyMap<Address, AccountFact>[];
  /** Whether all RPCs return the same lookup tables. If they differ, an index may resolve to another account on chain. */
  readonly isAgreed: boolean;
  /** Writable accounts after it, by a simulation that succeeded; absent without one. */
  readonly after?: ReadonlyMap<Address, AccountFact>;
  /** Lamports an account of so many bytes has to hold. */
  readonly rent: (bytes: number) => bigint;
}

/** A token account of the wallet that a transaction may change and leaves open. */
export interface Bucket {
  readonly account: Address;
  readonly mint: Address;
  readonly program: Address;
  readonly decimals?: number;
  /** Base units before the transaction; of wrapped SOL with the lamports that a sync adds. */
  readonly opening: bigint;
  /** Nobody beside the wallet may spend from it or close it, it is not frozen, and it stays open throughout. */
  readonly isFree: boolean;
  /** Its address is derived from its mint: elsewhere it could be closed and made anew for another mint. */
  readonly isAssociated: boolean;
  /** The wallet can transfer its tokens from the account to itself. */
  readonly canTransfer: boolean;
  /** Lamports in it above its rent and its wrapped SOL: who may spend from it can take them. */
  readonly excess: bigint;
  /** It holds wrapped SOL. */
  readonly isNative: boolean;
}

/** Least closing balances, in base units by account and in lamports of the wallet itself. */
export interface Bounds {
  readonly buckets: readonly Bucket[];
  readonly least: ReadonlyMap<Address, bigint>;
  /** Absent where how much of the SOL ends in which account is not known. */
  readonly sol?: bigint;
  /** Lamports that the wallet keeps without a guard: of those it had, where the System program is no account of the transaction. */
  readonly kept?: bigint;
}

/** Mint extensions that forbid or change a transfer from an account to itself. */
const UNGUARDED = /^(nonTransferable|transferHook|pausable|unknown\d+)$/;

/** Assets that the wallet pays or receives by these lines. */
export const movedAssets = (lines: readonly Line[]): Asset[] => [
  ...new Set(lines.flatMap((line) => (line.id === 'pays' || line.id === 'receives' ? [line.asset] : []))),
];

/** Whether an instruction without a reader may do what no act says. */
const hasUnsupported = (acts: readonly Act[]): boolean =>
  acts.some(({ act }) => act === 'unsupported' || act === 'named');

/** Returns the bounds that the lines of a stage set. */
export function boundsOf(promised: Promised): Bounds {
  const { wallet, loaded, acts, lines, views, isAgreed } = promised;
  const buckets = openBuckets(promised);
  const change = new Map<Asset, bigint>();
  const add = (asset: Asset, amount: bigint) => change.set(asset, (change.get(asset) ?? 0n) + amount);
  for (const line of lines) {
    if (line.id === 'pays') add(line.asset, -line.atMost);
    if (line.id === 'receives') add(line.asset, line.atLeast);
  }
  const fees = lines.flatMap((line) =>
    line.id === 'pays' && line.why === 'networkFee' ? [line.atMost] : [],
  );
  const isKept = !loaded.some(
    ({ address, table }) => address === SYSTEM_PROGRAM || (table !== undefined && !isAgreed),
  );
  const kept = isKept ? fees.reduce((left, fee) => left - fee, lamportsOf(views, wallet)) : 0n;
  const isUnsupported = hasUnsupported(acts);
  const least = new Map<Address, bigint>();
  for (const { account, mint, opening } of buckets) {
    const asset = assetOf(mint);
    const isOnly = asset !== 'SOL' && buckets.filter((each) => each.mint === mint).length === 1;
    // By the bytes alone it is not known which of several accounts an unsupported instruction changes.
    if (isOnly) least.set(account, opening + (change.get(asset) ?? 0n));
    else if (!isUnsupported) least.set(account, opening + flowOf(acts, account));
  }
  const wrapped = buckets.filter(({ mint }) => mint === WSOL_MINT);
  if (wrapped.some(({ account }) => !least.has(account))) return { buckets, least, kept };
  const opening = [wallet, ...closedAccounts(acts, wallet)].map((account) => lamportsOf(views, account));
  const flows = wrapped.map(({ account }) => -flowOf(acts, account));
  const swept = buckets.filter(isSwept).map(({ excess }) => excess);
  const sol = [...opening, ...flows, ...swept].reduce((a, b) => a + b, change.get('SOL') ?? 0n);
  return { buckets, least, sol, kept };
}

/** Whether the lamports above an account's rent are withdrawn to the wallet. Those beside wrapped SOL become wrapped SOL. */
export const isSwept = ({ isFree, excess, isNative }: Bucket): boolean => isFree && excess > 0n && !isNative;

/** Assets of the lines whose bounds are enforced where accounts are proven to hold so much. */
export function enforcedAssets(
  { buckets, least, sol, kept = 0n }: Bounds,
  { lines, wallet, acts }: Pick<Promised, 'lines' | 'wallet' | 'acts'>,
  proven: ReadonlyMap<Address, bigint>,
): Asset[] {
  const isProven = (account: Address, amount: bigint | undefined) =>
    amount !== undefined && (proven.get(account) ?? -1n) >= (amount > 0n ? amount : 0n);
  return movedAssets(lines).filter((asset) => {
    const mine = buckets.filter(({ mint }) => assetOf(mint) === asset);
    if (asset !== 'SOL' && mine.length === 0) return false;
    // A delegate can withdraw the excess of an account; an unsupported instruction can close it and take its rent.
    const isOpen = buckets.some(
      ({ account, excess }) => !proven.has(account) && (excess > 0n || hasUnsupported(acts)),
    );
    const isKept = sol !== undefined && sol <= kept;
    if (asset === 'SOL' && (isOpen || !(isKept || isProven(wallet, sol)))) return false;
    return mine.every(({ account, isAssociated }) => isAssociated && isProven(account, least.get(account)));
  });
}

/** What acts change in a token account at least, in base units; negative where they may take. */
function flowOf(acts: readonly Act[], account: Address): bigint {
  const is = (holder: Holder) => holder.account === account;
  return acts.reduce((sum, act) => {
    if (act.act === 'swap')
      return sum + (is(act.destination) ? act.leastOut : 0n) - (is(act.source) ? act.mostIn : 0n);
    if (act.act !== 'transfer') return sum;
    return sum + (is(act.to) ? act.amount - (act.fee ?? 0n) : 0n) - (is(act.from) ? act.amount : 0n);
  }, 0n);
}

const highest = (amounts: readonly bigint[]): bigint => amounts.reduce((a, b) => (a > b ? a : b), 0n);

const lamportsOf = (views: Promised['views'], account: Address): bigint =>
  highest(views.map((view) => BigInt(view.get(account)?.lamports ?? '0')));

/** Token accounts that are closed to the wallet for good (or not: `isReopened`): their lamports come back. */
const closedAccounts = (acts: readonly Act[], wallet: Address, isReopened = false): Address[] =>
  acts.flatMap((act, i) => {
    if (act.act !== 'closeAccount' || act.refundTo !== wallet || act.authority !== wallet) return [];
    const { account } = act.account;
    const opens = acts.slice(i).some((later) => later.act === 'openAccount' && later.account === account);
    return opens === isReopened ? [account] : [];
  });

/** Accounts of the wallet that a transaction may change and leaves open: there before, or opened by its instructions. */
export function openBuckets({ wallet, loaded, acts, views, after, rent }: Omit<Promised, 'lines'>): Bucket[] {
  const closed = closedAccounts(acts, wallet);
  const reopened = closedAccounts(acts, wallet, true);
  // A guard of an account that an unsupported instruction closes would fail.
  const isGone = (account: Address): boolean =>
    reopened.includes(account) ||
    (after !== undefined && hasUnsupported(acts) && after.get(account)?.exists !== true);
  return loaded.flatMap(({ address: account, writable }): Bucket[] => {
    if (!writable || closed.includes(account)) return [];
    const facts = views.flatMap((view) => view.get(account) ?? []).filter(({ exists }) => exists);
    const held = facts.flatMap((fact) => {
      const state = tokenAccountOf(fact);
      if (state?.owner !== wallet) return [];
      const kept = state.isNative ?? rent(Buffer.from(fact.data, 'base64').length);
      const wrapped = state.isNative === undefined ? 0n : state.amount;
      return [{ ...state, program: fact.owner, excess: BigInt(fact.lamports) - kept - wrapped }];
    });
    const [state] = held;
    const opened = acts.find((act) => act.act === 'openAccount' && act.account === account);
    const isOpened = opened?.act === 'openAccount' && opened.kind === 'token' && opened.owner === wallet;
    const mint = state?.mint ?? (isOpened ? opened.mint : undefined);
    if (mint === undefined) return [];
    const mintFact = views.flatMap((view) => view.get(mint) ?? []).find(({ exists }) => exists);
    const program = state?.program ?? mintFact?.owner ?? (mint === WSOL_MINT ? TOKEN_PROGRAM : undefined);
    // The mint of the opened account is missing in every view.
    if (program === undefined) return [];
    const rules = mintOf(mintFact);
    const isTransferable =
      program === TOKEN_PROGRAM ||
      (rules !== undefined && !rules.extensions.some((each) => UNGUARDED.test(each)));
    const isLost = isGone(account);
    const isNative = mint === WSOL_MINT || held.some((each) => each.isNative !== undefined);
    const isFree =
      !isLost &&
      held.every(
        ({ delegate, closeAuthority, state: is, mint: of }) =>
          delegate === undefined && closeAuthority === undefined && is !== 'frozen' && of === mint,
      );
    return [
      {
        ...{ account, mint, program, isFree, isNative },
        ...(rules === undefined ? {} : { decimals: rules.decimals }),
        opening: highest(held.map(({ amount, excess }) => amount + (isNative && excess > 0n ? excess : 0n))),
        // What is closed may lose all of them.
        excess: isLost ? lamportsOf(views, account) : highest(held.map(({ excess }) => excess)),
        isAssociated: account === associatedTokenAddress(wallet, mint, program),
        canTransfer:
          isFree && isTransferable && !held.some(({ extensions }) => extensions.includes('memoTransfer')),
      },
    ];
  });
}
