/** Everything the short part of a page is made from, for one wallet. */
import type { Address } from '../../transaction/types.ts';
import type { Deposit } from './amounts/deposits.ts';
import type { Totals } from './amounts/totals.ts';
import type { Asked } from './asked.ts';
import type { StepAct } from './known.ts';
import type { Rights } from './rights.ts';

/** An instruction that is not read, and what it can reach. */
export interface Unread {
  readonly step: number;
  readonly program: Address;
  /** For want of an address table; its program has a reader. */
  readonly missingTable: boolean;
  /** The wallet signs for it. */
  readonly signed: boolean;
  /** Accounts it may write to. */
  readonly writes: readonly Address[];
}

/** Everything the short part says, for one wallet. */
export interface Summary {
  readonly wallet: Address;
  readonly online: boolean;
  readonly totals: Totals;
  readonly deposits: readonly Deposit[];
  readonly rights: Rights;
  readonly unread: readonly Unread[];
  /** Every act. */
  readonly steps: readonly StepAct[];
  /** What of the reading was concluded and is not published by the program's authors. */
  readonly inferred: readonly { readonly step: number; readonly what: string }[];
  /** Whether an address needs no comparing: the wallet's own, one with a name, a program. */
  readonly isFamiliar: (address: Address) => boolean;
  readonly asked?: Asked;
}
