/** Findings of a reader in one account: rights and amounts with their holders, and state. */
import type { Account } from './accounts.ts';

/** A right over an account and the key that holds it. */
export interface Right {
  readonly account: string;
  readonly right: string;
  readonly holder: string;
  /**
   * When a loss counts: always, unless stated otherwise; `while open`: not after the account is closed, since its
   * balance is counted by amount; `never`: by amount only, and listed for strangers who gain it.
   */
  readonly loss?: 'while open' | 'never';
}

/** A countable quantity and the key that can move it. */
export interface Amount {
  /** The asset counted: `SOL`, a mint, or a name for one account's quantity. */
  readonly line: string;
  readonly holder: string;
  readonly amount: bigint;
}

/** A value stored in an account, and the key required to change it. */
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

/** The other accounts of the same snapshot, for readers that need more than one. */
export interface Surroundings {
  get(address: string): Account | undefined;
  /** Holder of the single token of a mint; the holder of a position's NFT owns the position. */
  holderOfNft(mint: string): string | undefined;
}

/** Parses accounts of one kind. Returns `undefined` for other accounts. */
export type Reader = (account: Account, around: Surroundings) => Findings | undefined;

export const SOL = 'SOL';

/** Findings with empty lists by default. */
export const found = (some: Partial<Findings>): Findings => ({
  rights: [],
  amounts: [],
  states: [],
  ...some,
});

/** Rights over one account, without absent holders. */
export function rightsOf(
  account: string,
  holders: Readonly<Record<string, string | undefined>>,
): readonly Right[] {
  return Object.entries(holders).flatMap(([right, holder]) =>
    holder === undefined ? [] : [{ account, right, holder }],
  );
}
