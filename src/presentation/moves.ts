/**
 * What landed stages of a plan moved, read from the chain: per asset, what the network took, and what went into accounts
 * that were made. Base units; nothing here is an estimate.
 */
import { remember } from '../base/remember.ts';
import { changesOf, movesOf } from '../execution/readback/balances.ts';
import { isOnChain } from '../execution/status.ts';
import type { JournalRow } from '../ledger/types.ts';
import type { Chain, LandedTransaction } from '../rpc/types.ts';
import { WSOL_MINT } from '../transaction/programs.ts';
import type { Address } from '../transaction/types.ts';

/** What one or more landed transactions did to a wallet. */
export interface Moved {
  /** By asset, the network fee apart; wrapped SOL counts as SOL. What did not change is absent. */
  readonly changes: ReadonlyMap<string, bigint>;
  /** Lamports the wallet paid the network. */
  readonly fee: bigint;
  /** Lamports of the change in SOL that lie in accounts made by it, such as token accounts: rent. */
  readonly newAccounts: bigint;
  /** By how much wrapped SOL alone changed, lamports; part of the change in SOL. */
  readonly wrapped: bigint;
}

export const NOTHING_MOVED: Moved = { changes: new Map(), fee: 0n, newAccounts: 0n, wrapped: 0n };

/** One landed transaction, for a wallet. */
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

/** Lamports in accounts that were empty before, wrapped SOL apart: that is an amount and no rent. */
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

/** Several together. */
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
  /** What a journal row's transaction moved; `undefined` where the chain does not tell (any more). Never rejects. */
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
      // Before finality a fork may still land it elsewhere, where it moves something else.
      return row.state === 'confirmed' ? moved : remember(known, row.signature, moved);
    },
  };
}
