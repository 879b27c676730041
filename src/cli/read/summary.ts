/** What a transaction takes from a wallet, brings it, and changes about who is in control. Pure. */
import type { Act, ActOf, Asset, Holder } from '../../programs/acts.ts';
import { WSOL_MINT } from '../../transaction/programs.ts';
import type { Address } from '../../transaction/types.ts';

/** One amount of a token that the accounts at hand do not name. */
export interface UnnamedAmount {
  readonly amount: bigint;
  readonly account: Address;
}

export interface Totals {
  /** Most that leaves, by asset; SOL and wrapped SOL are one. */
  readonly leaves: ReadonlyMap<Asset, bigint>;
  /** Least that arrives. */
  readonly arrives: ReadonlyMap<Asset, bigint>;
  /** Amounts that leave of a token not known here: its account was not looked up. */
  readonly unnamed: readonly UnnamedAmount[];
  /** Assets that leave in an amount the bytes do not bound. */
  readonly unbounded: ReadonlySet<Asset>;
  /** Accounts whose whole content goes to another address. */
  readonly emptied: readonly Holder[];
  /** Assets that arrive in an amount only the chain knows (claims). */
  readonly claimed: ReadonlySet<Asset>;
  /** Accounts that are made at the wallet's cost with a deposit the runtime sets. */
  readonly deposits: number;
}

const oneAsset = (asset: Asset): Asset => (asset === WSOL_MINT ? 'SOL' : asset);

/** Adds up acts for one wallet. Every kind of act has its line below; the compiler asks for one for each new kind. */
class Tally {
  readonly leaves = new Map<Asset, bigint>();
  readonly arrives = new Map<Asset, bigint>();
  readonly unnamed: UnnamedAmount[] = [];
  readonly unbounded = new Set<Asset>();
  readonly emptied: Holder[] = [];
  readonly claimed = new Set<Asset>();
  deposits = 0;
  private readonly wallet: Address;

  constructor(wallet: Address) {
    this.wallet = wallet;
  }

  isOurs = ({ account, owner }: Holder): boolean => account === this.wallet || owner === this.wallet;

  /** An account whose owner is not known may be ours where our signature moves it. */
  mayBeOurs = (from: Holder, authority: Address): boolean =>
    this.isOurs(from) || (from.owner === undefined && authority === this.wallet);

  out(asset: Asset | undefined, amount: bigint, account: Address): void {
    if (asset === undefined) this.unnamed.push({ amount, account });
    else this.leaves.set(oneAsset(asset), (this.leaves.get(oneAsset(asset)) ?? 0n) + amount);
  }

  in(asset: Asset | undefined, amount: bigint): void {
    if (asset === undefined) return;
    this.arrives.set(oneAsset(asset), (this.arrives.get(oneAsset(asset)) ?? 0n) + amount);
  }

  /** Deposits for accounts, where the wallet pays them. */
  paid(payer: Address | undefined, accounts: number, lamports = 0n): void {
    if (payer !== this.wallet) return;
    this.deposits += accounts;
    if (lamports > 0n) this.out('SOL', lamports, this.wallet);
  }
}

const none = (): void => undefined;

const COUNTED: { readonly [K in Act['act']]: (act: ActOf<K>, to: Tally) => void } = {
  transfer: ({ asset, amount, fee = 0n, from, to, authority }, t) => {
    if (t.mayBeOurs(from, authority) && !t.isOurs(to)) t.out(asset, amount, from.account);
    if (t.isOurs(to) && !t.isOurs(from)) t.in(asset, amount - fee);
  },
  tip: ({ from, amount }, t) => {
    if (t.isOurs({ account: from })) t.out('SOL', amount, from);
  },
  mintTo: ({ mint, to, amount }, t) => {
    if (t.isOurs(to)) t.in(mint, amount);
  },
  burn: ({ mint, from, amount, authority }, t) => {
    if (t.mayBeOurs(from, authority)) t.out(mint, amount, from.account);
  },
  swap: ({ input, output, mostIn, leastOut, source, destination, authority }, t) => {
    if (t.mayBeOurs(source, authority)) t.out(input, mostIn, source.account);
    if (t.isOurs(destination)) t.in(output, leastOut);
  },
  claim: ({ payouts }, t) => {
    for (const { asset, to } of payouts) if (t.isOurs(to)) t.claimed.add(oneAsset(asset));
  },
  openAccount: ({ payer, deposit }, t) => {
    if (typeof deposit === 'bigint') t.paid(payer, 0, deposit);
    else t.paid(payer, 1);
  },
  closeAccount: ({ account, refundTo, authority }, t) => {
    if (t.mayBeOurs(account, authority) && !t.isOurs({ account: refundTo })) t.emptied.push(account);
  },
  createPool: ({ payer, makes, surcharge }, t) => t.paid(payer, makes.length, surcharge),
  setMetadata: ({ payer, surcharge }, t) => t.paid(payer, 1, surcharge),
  addLiquidity: ({ deposits, authority }, t) => {
    for (const { asset, from, most } of deposits) {
      if (!t.mayBeOurs(from, authority)) continue;
      if (most === undefined) t.unbounded.add(oneAsset(asset));
      else t.out(asset, most, from.account);
    }
  },
  createConfig: ({ payer }, t) => t.paid(payer, 3),
  extendConfig: ({ payer }, t) => t.paid(payer, 1),
  changeShares: ({ payer }, t) => t.paid(payer, 1),
  setManager: none,
  createPartner: ({ payer }, t) => t.paid(payer, 1),
  createPoolConfig: ({ payer }, t) => t.paid(payer, 1),
  openPosition: ({ payer }, t) => t.paid(payer, 3),
  tableCreate: ({ payer }, t) => t.paid(payer, 1),
  tableExtend: ({ payer }, t) => t.paid(payer, 1),
  tableClose: ({ table, authority, refundTo }, t) => {
    if (t.mayBeOurs({ account: table }, authority) && !t.isOurs({ account: refundTo }))
      t.emptied.push({ account: table });
  },
  createMint: none,
  freeze: none,
  mintRule: none,
  accountRule: none,
  setRight: none,
  lockLiquidity: none,
  tableDeactivate: none,
  tableFreeze: none,
  computeBudget: none,
  memo: none,
  useNonce: none,
  nothing: none,
  named: none,
  unread: none,
};

/** Adds up what the acts say about one wallet. */
export function totalsOf(acts: readonly Act[], wallet: Address): Totals {
  const tally = new Tally(wallet);
  for (const act of acts) {
    // The entry of a kind takes acts of that kind.
    const count = COUNTED[act.act] as (act: Act, to: Tally) => void;
    count(act, tally);
  }
  return tally;
}

/** Acts that change who is in control of something, or what can never be undone. */
const CONTROL: Readonly<Record<Act['act'], boolean>> = {
  setRight: true,
  setManager: true,
  createConfig: true,
  extendConfig: true,
  changeShares: true,
  createPartner: true,
  createPoolConfig: true,
  freeze: true,
  mintRule: true,
  accountRule: true,
  lockLiquidity: true,
  tableFreeze: true,
  useNonce: true,
  transfer: false,
  tip: false,
  mintTo: false,
  burn: false,
  swap: false,
  claim: false,
  openAccount: false,
  closeAccount: false,
  createMint: false,
  setMetadata: false,
  createPool: false,
  openPosition: false,
  addLiquidity: false,
  tableCreate: false,
  tableExtend: false,
  tableDeactivate: false,
  tableClose: false,
  computeBudget: false,
  memo: false,
  nothing: false,
  named: false,
  unread: false,
};

/** Whether an act changes control, or cannot be undone. */
export const changesControl = ({ act }: Act): boolean => CONTROL[act];
