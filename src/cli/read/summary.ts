/** What a transaction takes from a wallet and brings it, by the acts that were read. Pure. */
import type { Act, Asset, Holder } from '../../programs/acts.ts';
import { WSOL_MINT } from '../../transaction/programs.ts';
import type { Address } from '../../transaction/types.ts';

export interface Totals {
  /** Most that leaves, by asset; SOL and wrapped SOL are one. */
  readonly leaves: ReadonlyMap<Asset, bigint>;
  /** Least that arrives. */
  readonly arrives: ReadonlyMap<Asset, bigint>;
  /** Assets of which an amount leaves or arrives that the bytes do not bound. */
  readonly unbounded: ReadonlySet<Asset>;
  /** Assets that arrive in an amount only the chain knows (claims). */
  readonly claimed: ReadonlySet<Asset>;
  /** Accounts that are made at the wallet's cost with a deposit the runtime sets. */
  readonly deposits: number;
}

const oneAsset = (asset: Asset): Asset => (asset === WSOL_MINT ? 'SOL' : asset);

/** Adds up what the acts say about one wallet. */
export function totalsOf(acts: readonly Act[], wallet: Address): Totals {
  const leaves = new Map<Asset, bigint>();
  const arrives = new Map<Asset, bigint>();
  const unbounded = new Set<Asset>();
  const claimed = new Set<Asset>();
  let deposits = 0;
  const add = (to: Map<Asset, bigint>, asset: Asset | undefined, amount: bigint): void => {
    if (asset === undefined) return;
    const one = oneAsset(asset);
    to.set(one, (to.get(one) ?? 0n) + amount);
  };
  const isOurs = ({ account, owner }: Holder): boolean => account === wallet || owner === wallet;
  for (const act of acts) {
    if (act.act === 'transfer') {
      // An account whose owner is not known may still be ours where our signature moves it.
      const mayBeOurs = act.from.owner === undefined && act.authority === wallet;
      if ((isOurs(act.from) || mayBeOurs) && !isOurs(act.to)) add(leaves, act.asset, act.amount);
      if (isOurs(act.to) && !isOurs(act.from)) add(arrives, act.asset, act.amount - (act.fee ?? 0n));
    } else if (act.act === 'tip' && act.from === wallet) add(leaves, 'SOL', act.amount);
    else if (act.act === 'burn' && isOurs(act.from)) add(leaves, act.mint, act.amount);
    else if (act.act === 'mintTo' && isOurs(act.to)) add(arrives, act.mint, act.amount);
    else if (act.act === 'swap') {
      if (isOurs(act.source) || act.authority === wallet) add(leaves, act.input, act.mostIn);
      if (isOurs(act.destination)) add(arrives, act.output, act.leastOut);
    } else if (act.act === 'claim') {
      for (const { asset, to } of act.payouts) if (isOurs(to)) claimed.add(oneAsset(asset));
    } else if (act.act === 'addLiquidity') {
      for (const { asset, from, most } of act.deposits) {
        if (!isOurs(from)) continue;
        if (most === undefined) unbounded.add(oneAsset(asset));
        else add(leaves, asset, most);
      }
    } else if (act.act === 'openAccount' && act.payer === wallet) {
      if (typeof act.deposit === 'bigint') add(leaves, 'SOL', act.deposit);
      else deposits++;
    } else if ((act.act === 'createPool' || act.act === 'setMetadata') && act.payer === wallet) {
      add(leaves, 'SOL', act.surcharge ?? 0n);
      deposits += act.act === 'createPool' ? act.makes.length : 1;
    } else if ('payer' in act && act.payer === wallet && act.act !== 'setMetadata') deposits++;
  }
  return { leaves, arrives, unbounded, claimed, deposits };
}
