/**
 * Minimum closing balances of the wallet's accounts, from a transaction's lines, acts and opening balances. If two RPCs
 * disagree, the higher opening balance counts, so that the transaction fails if it is wrong.
 */
import type { Act, Asset, Holder } from '../programs/acts.ts';
import { mintOf, tokenAccountOf } from '../programs/token/accounts.ts';
import type { AccountFact } from '../rpc/types.ts';
import type { Line } from '../statement/types.ts';
import { assetOf } from '../statement/view.ts';
import { associatedTokenAddress } from '../transaction/derive.ts';
import { SYSTEM_PROGRAM, TOKEN_PROGRAM, WSOL_MINT } from '../transaction/programs.ts';
import type { AccountUse, Address } from '../transaction/types.ts';

/** A decided stage without guards, and its accounts before the transaction according to each RPC. */
export interface Promised {
  readonly wallet: Address;
  readonly loaded: readonly AccountUse[];
  readonly acts: readonly Act[];
  readonly lines: readonly Line[];
  readonly views: readonly ReadonlyMap<Address, AccountFact>[];
  /** Whether all RPCs return the same lookup tables. If they differ, an index may resolve to another account on chain. */
  readonly isAgreed: boolean;
  /** Writable accounts after a successful simulation; absent without one. */
  readonly after?: ReadonlyMap<Address, AccountFact>;
  /** Returns the rent-exempt minimum of an account, in lamports. */
  readonly rent: (bytes: number) => bigint;
}

/** A token account of the wallet that a transaction may change but does not close. */
export interface Bucket {
  readonly account: Address;
  readonly mint: Address;
  readonly program: Address;
  readonly decimals?: number;
  /** Base units before the transaction; for wrapped SOL, including lamports that a sync would add. */
  readonly opening: bigint;
  /** Whether only the wallet may spend from it or close it, it is not frozen, and it is open throughout the transaction. */
  readonly isFree: boolean;
  /** Whether it is an associated account; another account could be closed and reopened for another mint. */
  readonly isAssociated: boolean;
  /** Whether the wallet can transfer tokens from the account to the same account. */
  readonly canTransfer: boolean;
  /** Lamports above rent and wrapped SOL, which a delegate can withdraw. */
  readonly excess: bigint;
  /** Whether it holds wrapped SOL. */
  readonly isNative: boolean;
}

/** Minimum closing balances: base units by token account, and lamports of the wallet. */
export interface Bounds {
  readonly buckets: readonly Bucket[];
  readonly least: ReadonlyMap<Address, bigint>;
  /** Absent if the distribution of SOL among the accounts is unknown. */
  readonly sol?: bigint;
  /** Lamports that the wallet keeps without a guard, because the transaction does not use the System program. */
  readonly kept?: bigint;
}

/** Mint extensions that forbid or change a transfer from an account to itself. */
const UNGUARDED = /^(nonTransferable|transferHook|pausable|unknown\d+)$/;

/** Returns the assets that the wallet pays or receives. */
export const movedAssets = (lines: readonly Line[]): Asset[] => [
  ...new Set(lines.flatMap((line) => (line.id === 'pays' || line.id === 'receives' ? [line.asset] : []))),
];

/** Whether an unsupported instruction may have effects beyond the acts. */
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
    // With several accounts of a mint, it is unknown which one an unsupported instruction changes.
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

/** Whether the lamports above an account's rent are withdrawn to the wallet. In wrapped SOL accounts they become wrapped SOL. */
export const isSwept = ({ isFree, excess, isNative }: Bucket): boolean => isFree && excess > 0n && !isNative;

/** Returns the moved assets whose bounds the proven balances enforce. */
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

/** Returns the minimum balance change of a token account in base units; negative if acts may take tokens. */
function flowOf(acts: readonly Act[], account: Address): bigint {
  const is = (holder: Holder) => holder.account === account;
  return acts.reduce((sum, act) => {
    if (act.act === 'swap')
      return sum + (is(act.destination) ? act.minOut : 0n) - (is(act.source) ? act.maxIn : 0n);
    if (act.act !== 'transfer') return sum;
    return sum + (is(act.to) ? act.amount - (act.fee ?? 0n) : 0n) - (is(act.from) ? act.amount : 0n);
  }, 0n);
}

const highest = (amounts: readonly bigint[]): bigint => amounts.reduce((a, b) => (a > b ? a : b), 0n);

const lamportsOf = (views: Promised['views'], account: Address): bigint =>
  highest(views.map((view) => BigInt(view.get(account)?.lamports ?? '0')));

/** Returns token accounts that are closed to the wallet and stay closed or, with `isReopened`, are opened again. */
const closedAccounts = (acts: readonly Act[], wallet: Address, isReopened = false): Address[] =>
  acts.flatMap((act, i) => {
    if (act.act !== 'closeAccount' || act.refundTo !== wallet || act.authority !== wallet) return [];
    const { account } = act.account;
    const opens = acts.slice(i).some((later) => later.act === 'openAccount' && later.account === account);
    return opens === isReopened ? [account] : [];
  });

/** Returns the wallet's token accounts, existing or new, that a transaction may change but does not close. */
export function openBuckets({ wallet, loaded, acts, views, after, rent }: Omit<Promised, 'lines'>): Bucket[] {
  const closed = closedAccounts(acts, wallet);
  const reopened = closedAccounts(acts, wallet, true);
  // A guard would fail if an unsupported instruction closes the account.
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
    // No RPC shows the mint of the opened account.
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
        // A closed account may lose all its lamports.
        excess: isLost ? lamportsOf(views, account) : highest(held.map(({ excess }) => excess)),
        isAssociated: account === associatedTokenAddress(wallet, mint, program),
        canTransfer:
          isFree && isTransferable && !held.some(({ extensions }) => extensions.includes('memoTransfer')),
      },
    ];
  });
}
