/** What an operation file says: what a request leads to, and how the acts of a stage are compared with that. */

import type { Address, TransactionFormat } from '../../../transaction/types.ts';
import type { Amounts } from '../amounts.ts';
import type { Checklist } from '../checklist.ts';
import type { DecisionContext } from '../decisionContext.ts';
import type { DecisionInputs } from '../types.ts';
import type { Amount, ExpectedOutcome } from './expectedOutcome.ts';
import type { UnnamedPayment } from './trade/payees.ts';

export interface OperationRules {
  /**
   * What the request leads to, from the request, this home's memory and the chain; nothing of the answer. Absent where a
   * stage has no part in it.
   */
  readonly expected?: (c: DecisionContext) => ExpectedOutcome;
  /** Compares the acts of the stage, with those of the whole run, with what is `expected` of it. */
  readonly match: (c: DecisionContext, list: Checklist, expected?: ExpectedOutcome) => Matched;
  /**
   * `cosigner`: the wallet, or another key that has signed already. `sponsor`: such a key alone (claims the service pays
   * for, C-VAULT-05).
   */
  readonly feePayer: 'wallet' | 'cosigner' | 'sponsor';
  /** Formats that were asked for. */
  readonly formats: (inputs: DecisionInputs) => readonly TransactionFormat[];
}

/** An address the request or the bytes name, which a rule may have to know. */
export interface Recipient {
  readonly address: Address;
  readonly role: RecipientRole;
  /** The amount of a `payment` or `refund`, by the bytes. */
  readonly paid?: Amount;
}

/** Roles a rule can speak about; money that changes hands inside the operation itself is a `payment` or a `refund`. */
export type RecipientRole =
  | 'claimer'
  | 'admin'
  | 'partner'
  | 'feeClaimer'
  | 'tip'
  | 'recipient'
  | 'payment'
  | 'refund';

/** What a stage means for the wallet, once its instructions are known to be the operation's. */
export interface Matched {
  readonly recipients: readonly Recipient[];
  /** Least that must arrive, by asset. */
  readonly leastIn: Amounts;
  /** Most the request lets leave, by asset, apart from fee and rent; used where the bytes cannot say. */
  readonly mostOut: Amounts;
  /** Lamports an account may be given at once for what later stages write into it. */
  readonly deposits?: ReadonlyMap<Address, bigint>;
  /**
   * Most rent, in lamports, for accounts of others (T15, T66). Absent: what shows where every instruction is read, and
   * none where one is not.
   */
  readonly mostRent?: bigint;
  /** Tokens whose accounts of the wallet an unsupported instruction may be handed, beside wrapped SOL. Absent: none at all. */
  readonly reach?: readonly Address[];
  /** The accounts the simulation leaves behind say what the bytes were read to say. */
  readonly confirmed?: boolean;
  /** What a person is told with the question about an unsupported instruction, a sentence part each (T66, T71). */
  readonly beside?: readonly string[];
  /** What the instructions do not say although each is read, as a sentence part: a person is asked about it (T94). */
  readonly hidden?: string;
  /** A launch into a pool, with the keys in whose custody its positions end. */
  readonly pool?: { readonly held: readonly Address[] };
  /** Payments and deposits for keys that neither the request nor the owner named. */
  readonly unnamed?: readonly UnnamedPayment[];
  /** The token this run makes: what of it goes into its own pool is no spending. */
  readonly made?: Address;
  /** Tokens that come or go, for the policy's list of mints and extensions. */
  readonly mints: readonly Address[];
  /** What rules about swaps ask for. */
  readonly trade?: Trade;
  /** What rules about launches ask for, where the wallet buys first. */
  readonly firstBuy?: FirstBuy;
}

/** The first buy of a launch, base units. */
export interface FirstBuy {
  readonly mint: Address;
  readonly quoteMint: Address;
  readonly paid: bigint;
  /** What arrives, and all there will be of the token, by the bytes; absent where they cannot all be read. */
  readonly read?: { readonly bought: bigint; readonly supply: bigint };
}

/** A swap as the bytes show it, base units. */
export interface Trade {
  readonly inputMint: Address;
  readonly outputMint: Address;
  readonly amountIn: bigint;
  /** Net of every fee. */
  readonly amountOut: bigint;
  /** What the venues take and bring, without the service's own fee. */
  readonly venueIn: bigint;
  readonly venueOut: bigint;
  readonly quotedOut: bigint;
  readonly serviceFee: bigint;
  /** What the service fee is a share of. */
  readonly serviceFeeBase: bigint;
  /** The part of it that comes off what arrives. */
  readonly feeOut?: bigint;
}

/** A stage that moves no value and names no claimer. */
export const nothing = (): Matched => ({ recipients: [], leastIn: new Map(), mostOut: new Map(), mints: [] });
