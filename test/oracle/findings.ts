/** What a reader finds in one account: who holds which right, what can be moved by whom, and what it says. */
import type { Account } from './accounts.ts';

/** A right over an account and the key that holds it. */
export interface Right {
  readonly account: string;
  readonly right: string;
  readonly holder: string;
  /**
   * When losing it counts: always, unless stated otherwise; `while open`: not when the account is closed, since what
   * was in it is counted by amount; `never`: it is counted by amount only, and listed for strangers who gain it.
   */
  readonly loss?: 'while open' | 'never';
}

/** Something that can be counted, and the key that can move it. */
export interface Amount {
  /** What is counted: `SOL`, a mint, or words that name one account's quantity. */
  readonly line: string;
  readonly holder: string;
  readonly amount: bigint;
}

/** Something an account says, and the key without which it cannot be changed. */
export interface State {
  readonly account: string;
  readonly line: string;
  readonly holder: string | undefined;
  readonly value: string;
}

export interface Findings {
  readonly rights: readonly Right[];
  readonly amounts: readonly Amount[];
  readonly states: readonly State[];
}

/** The other accounts of the same moment, for readers that need more than one. */
export interface Surroundings {
  get(address: string): Account | undefined;
  /** Key that holds the one token of a mint: the holder of a position's NFT holds the position. */
  holderOfNft(mint: string): string | undefined;
}

/** Reads accounts of one kind; `undefined` for accounts of any other. */
export type Reader = (account: Account, around: Surroundings) => Findings | undefined;

export const SOL = 'SOL';

/** Findings of which most lists are empty. */
export const found = (some: Partial<Findings>): Findings => ({
  rights: [],
  amounts: [],
  states: [],
  ...some,
});

/** Rights over one account; holders that are absent are left out. */
export function rightsOf(
  account: string,
  holders: Readonly<Record<string, string | undefined>>,
): readonly Right[] {
  return Object.entries(holders).flatMap(([right, holder]) =>
    holder === undefined ? [] : [{ account, right, holder }],
  );
}
