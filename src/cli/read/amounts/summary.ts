/** What a transaction takes from a wallet, brings it, and hands to others at its cost. Pure. */
import type { Act, ActOf, Asset, Holder } from '../../../programs/acts.ts';
import { feeShareConfigAddress } from '../../../programs/feeShare/addresses.ts';
import { bounded, type Known } from '../../../programs/words/naming.ts';
import { WSOL_MINT } from '../../../transaction/programs.ts';
import type { Address } from '../../../transaction/types.ts';
import type { StepAct } from '../known.ts';
import type { AccountAt } from '../surroundings.ts';
import { plainDeposit } from './deposits.ts';
import type { Added, Arriving, Leaving, Totals, Way } from './totals.ts';

/** Adds up acts for one wallet. Every kind of act has its line below; the compiler asks for one for each new kind. */
class Tally {
  readonly leaves: Leaving[] = [];
  readonly arrives: Arriving[] = [];
  readonly elsewhere: Arriving[] = [];
  /** SOL put into the wallet's own token accounts. */
  readonly filled = new Map<Address, bigint>();
  step = 0;
  readonly steps: readonly StepAct[];
  readonly accountAt: AccountAt;
  readonly known: Known;
  private readonly wallet: Address;

  constructor(steps: readonly StepAct[], wallet: Address, known: Known, accountAt: AccountAt) {
    this.steps = steps;
    this.wallet = wallet;
    this.known = known;
    this.accountAt = accountAt;
  }

  isOurs = ({ account, owner }: Holder): boolean => account === this.wallet || owner === this.wallet;
  isWallet = (address: Address | undefined): boolean => address === this.wallet;

  /** An account whose owner is not known may be ours where our signature moves it. */
  mayBeOurs = (from: Holder, authority: Address): boolean =>
    this.isOurs(from) || (from.owner === undefined && authority === this.wallet);

  /** What leaves the wallet's account as wrapped SOL was its SOL where this transaction put it there. */
  assetFrom = (asset: Asset | undefined, account: Address): { readonly asset?: Asset } =>
    named(asset, this.filled.has(account));

  /** What arrives as wrapped SOL becomes SOL where the account is closed. */
  assetTo = (asset: Asset | undefined, account: Address): { readonly asset?: Asset } =>
    named(asset, this.closedFor(account) !== undefined);

  /** The later step that closes an account and gives its SOL to the wallet. */
  closedFor(account: Address): number | undefined {
    return this.steps.find(
      ({ act, step }) =>
        step >= this.step &&
        act.act === 'closeAccount' &&
        act.account.account === account &&
        act.refundTo === this.wallet,
    )?.step;
  }

  /** Whether an account was made by an earlier step at the wallet's cost. */
  madeHere = (account: Address): boolean =>
    this.steps.some(
      ({ act, step }) => step < this.step && act.act === 'openAccount' && act.account === account,
    ) && !this.accountAt(account);

  out(asset: Asset | undefined, amount: bigint | undefined, from: Holder, goes: Way): void {
    if (amount === 0n) return;
    const bound = amount === undefined ? {} : { amount };
    this.leaves.push({ step: this.step, ...this.assetFrom(asset, from.account), ...bound, from, goes });
  }

  /** Something comes in: to us, or to another account although it is `ours` by right. */
  in(
    asset: Asset | undefined,
    amount: bigint | undefined,
    to: Holder,
    how: Arriving['how'],
    ours: boolean,
    more: Pick<Arriving, 'owed' | 'addedBy'> = {},
  ): void {
    const bound = amount === undefined ? {} : { amount };
    const item = { step: this.step, ...this.assetTo(asset, to.account), ...bound, to, how, ...more };
    if (this.isOurs(to)) this.arrives.push(item);
    else if (ours) this.elsewhere.push(item);
  }
}

const named = (asset: Asset | undefined, asSol: boolean): { readonly asset?: Asset } => {
  if (asset === undefined) return {};
  return { asset: asset === WSOL_MINT && asSol ? 'SOL' : asset };
};

/** What an account that exists gives back when it is closed: the SOL in it less what left it before. */
function givenBack(account: Address, t: Tally): { readonly amount?: bigint } {
  const lamports = t.accountAt(account)?.lamports;
  const left = t.leaves.filter(({ from }) => from.account === account);
  if (lamports === undefined || left.some(({ amount }) => amount === undefined)) return {};
  const spent = left.reduce((sum, { amount = 0n }) => sum + amount, 0n) - (t.filled.get(account) ?? 0n);
  return { amount: spent > lamports ? 0n : lamports - (spent > 0n ? spent : 0n) };
}

const none = (): void => undefined;

const COUNTED: { readonly [K in Act['act']]: (act: ActOf<K>, to: Tally) => void } = {
  transfer: ({ asset, amount, fee = 0n, from, to, authority }, t) => {
    if (asset === 'SOL' && t.isOurs(from) && t.isOurs(to) && to.account !== to.owner) {
      t.filled.set(to.account, (t.filled.get(to.account) ?? 0n) + amount);
    }
    if (t.mayBeOurs(from, authority) && !t.isOurs(to)) t.out(asset, amount, from, { way: 'to', to });
    if (t.isOurs(to) && !t.isOurs(from)) t.in(asset, amount - fee, to, 'transfer', true);
  },
  tip: ({ from, to, amount }, t) => {
    if (t.isOurs({ account: from }))
      t.out('SOL', amount, { account: from }, { way: 'to', to: { account: to } });
  },
  mintTo: ({ mint, to, amount, authority }, t) => t.in(mint, amount, to, 'made', t.isWallet(authority)),
  burn: ({ mint, from, amount, authority }, t) => {
    if (t.mayBeOurs(from, authority)) t.out(mint, amount, from, { way: 'burnt' });
  },
  swap: ({ venue, input, output, mostIn, leastOut, source, destination, authority }, t) => {
    const ours = t.mayBeOurs(source, authority);
    if (ours) t.out(input, bounded(mostIn) ? mostIn : undefined, source, { way: 'trade', venue });
    t.in(output, leastOut, destination, 'trade', ours);
  },
  claim: (act, t) => {
    const addedBy = addedTo(act, t);
    for (const payout of act.payouts) {
      const owed = t.known.owed(act, payout);
      t.in(payout.asset, undefined, payout.to, 'claim', t.isWallet(act.beneficiary), {
        ...(owed === undefined ? {} : { owed }),
        ...(addedBy === undefined ? {} : { addedBy }),
      });
    }
  },
  openAccount: (act, t) => {
    const { account, owner, payer, deposit } = act;
    if (!t.isWallet(payer) || typeof deposit !== 'bigint') return;
    if (plainDeposit(act, t.steps) !== undefined) return;
    const returnedIn = t.closedFor(account);
    const goes = {
      way: 'deposit' as const,
      account,
      ...(owner === undefined ? {} : { program: owner }),
      ...(returnedIn === undefined ? {} : { returnedIn }),
    };
    t.out('SOL', deposit, { account: payer ?? '' }, goes);
  },
  closeAccount: ({ account, refundTo, authority }, t) => {
    if (!t.isWallet(refundTo)) {
      if (t.mayBeOurs(account, authority))
        t.leaves.push({ step: t.step, from: account, goes: { way: 'closed', to: refundTo } });
    } else if (!t.madeHere(account.account)) {
      const to = { account: refundTo, owner: account.account };
      const own = t.isOurs(account);
      t.arrives.push({
        step: t.step,
        asset: 'SOL',
        ...givenBack(account.account, t),
        to,
        how: 'closed',
        own,
      });
    }
  },
  createPool: ({ payer, surcharge }, t) => surchargeOf(payer, surcharge, t),
  setMetadata: ({ payer, surcharge }, t) => surchargeOf(payer, surcharge, t),
  addLiquidity: ({ deposits, authority, position }, t) => {
    for (const { asset, from, most } of deposits) {
      if (t.mayBeOurs(from, authority))
        t.out(asset, bounded(most) ? most : undefined, from, { way: 'position', position });
    }
  },
  tableClose: ({ table, authority, refundTo }, t) => {
    if (t.isWallet(refundTo)) {
      const to = { account: refundTo, owner: table };
      const own = t.isWallet(authority);
      t.arrives.push({ step: t.step, asset: 'SOL', ...givenBack(table, t), to, how: 'closed', own });
    } else if (t.isWallet(authority)) {
      t.leaves.push({ step: t.step, from: { account: table }, goes: { way: 'closed', to: refundTo } });
    }
  },
  createConfig: none,
  extendConfig: none,
  changeShares: none,
  setManager: none,
  createPartner: none,
  createPoolConfig: none,
  openPosition: none,
  tableCreate: none,
  tableExtend: none,
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

/** The earlier claim that pays into what a claim is paid out of. */
function addedTo({ from, base, beneficiary, payouts }: ActOf<'claim'>, t: Tally): Added | undefined {
  for (const { act, step } of t.steps) {
    if (step >= t.step || act.act !== 'claim') continue;
    const payout = act.payouts.find(({ to, asset }) => to.owner === from && asset === payouts[0]?.asset);
    if (payout === undefined) continue;
    const amount = t.known.owed(act, payout);
    const config =
      base === undefined || payout.asset === 'SOL' ? undefined : feeShareConfigAddress(base, payout.asset);
    const earners = config === undefined ? undefined : t.known.earnersOf(config);
    const bps = earners?.find(({ wallet }) => wallet === beneficiary)?.bps;
    return {
      step,
      ...(amount === undefined ? {} : { amount }),
      ...(bps === undefined ? {} : { bps }),
      ...(earners === undefined || config === undefined
        ? {}
        : { partner: t.known.partnerOf(config) ?? null }),
    };
  }
  return undefined;
}

function surchargeOf(payer: Address | undefined, surcharge: bigint | undefined, t: Tally): void {
  if (payer !== undefined && t.isWallet(payer) && surcharge !== undefined)
    t.out('SOL', surcharge, { account: payer }, { way: 'metadata' });
}

/** Adds up what the acts say about one wallet. */
export function totalsOf(
  steps: readonly StepAct[],
  wallet: Address,
  known: Known,
  accountAt: AccountAt,
): Totals {
  const tally = new Tally(steps, wallet, known, accountAt);
  for (const { act, step } of steps) {
    tally.step = step;
    // The entry of a kind takes acts of that kind.
    const count = COUNTED[act.act] as (act: Act, to: Tally) => void;
    count(act, tally);
  }
  tally.step = 0;
  const filled = [...tally.filled].flatMap(([account, amount]) => {
    const spent = tally.leaves
      .filter(({ from }) => from.account === account)
      .reduce((sum, leaving) => sum + (leaving.amount ?? amount), 0n);
    return spent >= amount ? [] : [{ account, amount: amount - spent }];
  });
  const wrapped = filled.filter(({ account }) => tally.closedFor(account) === undefined);
  const positions = steps.flatMap(({ act }) =>
    act.act === 'openPosition' && known.controllerOf(act.position) === wallet ? [act.position] : [],
  );
  const { leaves, arrives, elsewhere } = tally;
  return { leaves, arrives, elsewhere, wrapped, filled, positions };
}
