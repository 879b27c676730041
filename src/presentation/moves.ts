/**
 * Reads the balance changes of landed stages from the chain: by asset, network fees, and rent in new accounts. Base
 * units.
 */
import { remember } from '../base/remember.ts';
import { changesOf, movesOf } from '../execution/readback/balances.ts';
import { isOnChain } from '../execution/status.ts';
import type { JournalRow } from '../ledger/types.ts';
import type { Chain, LandedTransaction } from '../rpc/types.ts';
import { WSOL_MINT } from '../transaction/programs.ts';
import type { Address } from '../transaction/types.ts';

/** Changes to a wallet by one or more landed transactions. */
export interface Moved {
  /** By asset, without the network fee; wrapped SOL counts as SOL. Unchanged assets are absent. */
  readonly changes: ReadonlyMap<string, bigint>;
  /** Network fee paid by the wallet, lamports. */
  readonly fee: bigint;
  /** Part of the SOL change that is rent in new accounts, such as token accounts; lamports. */
  readonly newAccounts: bigint;
  /** Change of wrapped SOL in lamports, part of the SOL change. */
  readonly wrapped: bigint;
}

export const NOTHING_MOVED: Moved = { changes: new Map(), fee: 0n, newAccounts: 0n, wrapped: 0n };

/** Returns the changes of one landed transaction to a wallet. */
export function movedBy(landed: LandedTransaction, wallet: Address): Moved {
  const changes = changesOf(wallet, landed);
  const fee = landed.accounts[0] === wallet ? landed.feeLamports : 0n;
  const spent = -(changes.get('SOL') ?? 0n);
  const rent = rentOf(landed, wallet);
  return {
    changes: new Map([...changes].filter(([, change]) => change !== 0n)),
    fee,
    newAccounts: spent <= 0n ? 0n : rent < spent ? rent : spent,
    wrapped: movesOf(landed, wallet).changes.find(({ asset }) => asset === WSOL_MINT)?.units ?? 0n,
  };
}

/** Returns lamports in new accounts, except wrapped SOL, which is an amount and not rent. */
function rentOf(landed: LandedTransaction, wallet: Address): bigint {
  let rent = 0n;
  landed.accounts.forEach((address, i) => {
    const after = landed.lamportsAfter[i] ?? 0n;
    if (address === wallet || (landed.lamportsBefore[i] ?? 0n) !== 0n) return;
    const wrapped = landed.tokensAfter.find(
      (balance) => balance.account === address && balance.mint === WSOL_MINT,
    );
    rent += after - (wrapped?.amount ?? 0n);
  });
  return rent;
}

/** Returns the sum of changes. */
export function movedTogether(all: readonly Moved[]): Moved {
  const changes = new Map<string, bigint>();
  let [fee, newAccounts, wrapped] = [0n, 0n, 0n];
  for (const moved of all) {
    for (const [asset, change] of moved.changes) changes.set(asset, (changes.get(asset) ?? 0n) + change);
    fee += moved.fee;
    newAccounts += moved.newAccounts;
    wrapped += moved.wrapped;
  }
  return { changes: new Map([...changes].filter(([, change]) => change !== 0n)), fee, newAccounts, wrapped };
}

export interface MoveReader {
  /**
   * Returns the changes by a journal row's transaction; `undefined` if the chain no longer returns it. Never rejects.
   */
  of(row: JournalRow): Promise<Moved | undefined>;
}

export function createMoveReader(chain: Pick<Chain, 'landed'>): MoveReader {
  const known = new Map<string, Moved>();
  return {
    of: async (row) => {
      if (!isOnChain(row.state)) return NOTHING_MOVED;
      const before = known.get(row.signature);
      if (before !== undefined) return before;
      const landed = await chain.landed(row.signature).catch(() => undefined);
      if (landed === undefined) return undefined;
      const moved = movedBy(landed, row.wallet);
      // Not cached before finality: after a fork the transaction may land with other changes.
      return row.state === 'confirmed' ? moved : remember(known, row.signature, moved);
    },
  };
}
