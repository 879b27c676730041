/** The rules of an operation: its expected outcome, and the comparison of a stage's acts with it. */

import type { Asset } from '../../../programs/acts.ts';
import type { Address, TransactionFormat } from '../../../transaction/types.ts';
import type { Amounts } from '../amounts.ts';
import type { Checklist } from '../checklist.ts';
import type { DecisionContext } from '../decisionContext.ts';
import type { DecisionInputs } from '../types.ts';
import type { Amount, ExpectedOutcome } from './expectedOutcome.ts';

export interface OperationRules {
  /**
   * Returns the expected outcome of the request, from the request, this home's records and the chain, never from the
   * service's answer. Absent if the operation has none.
   */
  readonly expected?: (c: DecisionContext) => ExpectedOutcome;
  /** Compares the acts of the stage and the run with the expected outcome. */
  readonly match: (c: DecisionContext, list: Checklist, expected?: ExpectedOutcome) => Matched;
  /**
   * `cosigner`: the wallet or a service key that has already signed. `sponsor`: a key other than ours (sponsored claims,
   * C-VAULT-05).
   */
  readonly feePayer: 'wallet' | 'cosigner' | 'sponsor';
  /** Returns the requested formats. */
  readonly formats: (inputs: DecisionInputs) => readonly TransactionFormat[];
}

/** An address in the request or the transaction that a rule may have to allow. */
export interface Recipient {
  readonly address: Address;
  readonly role: RecipientRole;
  /** The amount of a `payment` or `refund` in the transaction. */
  readonly paid?: Amount;
}

/** Recipient roles in rules. `payment` and `refund` are transfers within the operation. */
export type RecipientRole =
  | 'claimer'
  | 'admin'
  | 'partner'
  | 'feeClaimer'
  | 'tip'
  | 'recipient'
  | 'payment'
  | 'refund';

/** The result of matching a stage with its operation. */
export interface Matched {
  readonly recipients: readonly Recipient[];
  /** Minimum amounts that must arrive, by asset. */
  readonly minIn: Amounts;
  /** Maximum amounts that may leave according to the request, by asset, without fee and rent; limits the simulated loss. */
  readonly maxOut: Amounts;
  /** Lamports that named accounts may receive, such as rent for data that later stages write. */
  readonly deposits?: ReadonlyMap<Address, bigint>;
  /**
   * Maximum rent in lamports for accounts of others (T15, T66). Default: the simulated rent if every instruction is
   * supported, else zero.
   */
  readonly maxRent?: bigint;
  /** Mints whose token accounts of the wallet an unsupported instruction may use, besides wrapped SOL. Absent: none at all. */
  readonly reach?: readonly Address[];
  /** Whether the simulated accounts confirm an inferred layout. */
  readonly confirmed?: boolean;
  /** Clauses that the approval request adds about an unsupported instruction (T66, T71). */
  readonly beside?: readonly string[];
  /** A fact that supported instructions leave open, as a clause for the approval request (T94). */
  readonly hidden?: string;
  /** A pool launch, with the keys that hold its positions in custody. */
  readonly pool?: { readonly held: readonly Address[] };
  /** Payments to and deposits for keys that neither the request nor the owner named. */
  readonly unnamed?: readonly UnnamedPayment[];
  /** The mint that this run creates; deposits of it into its pool do not count as spent. */
  readonly made?: Address;
  /** Moved mints, for the policy's list of mints and extensions. */
  readonly mints: readonly Address[];
  /** Input for swap rules. */
  readonly trade?: Trade;
  /** Input for launch rules, if the wallet buys first. */
  readonly firstBuy?: FirstBuy;
}

/** A payment or deposit whose recipient is not in the request, in base units. */
export interface UnnamedPayment {
  readonly why: 'unnamedTip' | 'unnamedServiceFee' | 'unnamedTracking' | 'unnamedAccount';
  readonly to: Address;
  readonly asset: Asset;
  readonly amount: bigint;
}

/** The first buy of a launch, base units. */
export interface FirstBuy {
  readonly mint: Address;
  readonly quoteMint: Address;
  readonly paid: bigint;
  /** Bought amount and total supply; absent if an instruction is unsupported. */
  readonly read?: { readonly bought: bigint; readonly supply: bigint };
}

/** A swap according to its instructions, in base units. */
export interface Trade {
  readonly inputMint: Address;
  readonly outputMint: Address;
  readonly amountIn: bigint;
  /** Net of every fee. */
  readonly amountOut: bigint;
  /** Input and output at the venues, without the service fee. */
  readonly venueIn: bigint;
  readonly venueOut: bigint;
  readonly quotedOut: bigint;
  readonly serviceFee: bigint;
  /** The amount that the service fee is a share of. */
  readonly serviceFeeBase: bigint;
  /** The part of the service fee that is deducted from the output. */
  readonly feeOut?: bigint;
}

/** Returns the match of a stage that moves no value and names no recipient. */
export const nothing = (): Matched => ({ recipients: [], minIn: new Map(), maxOut: new Map(), mints: [] });
