/** Types of the ledger's rows, and of its filters, requests and outcomes. */
import type { Mode, Plan, PlanStatus, Stage, StageStatus } from '../plan/types.ts';
import type { WindowLimit } from '../policy/decide/checks/limits.ts';
import type { Decision, DecisionInputs, LedgerView } from '../policy/decide/types.ts';
import type { Grant } from '../statement/grant.ts';
import type { RunParts, SignedStage } from '../statement/run.ts';
import type { Address } from '../transaction/types.ts';
import type { Moves } from './moves.ts';

/** States of one signed transaction. `chain_gone`: its embedded chain no longer exists. */
export type JournalState =
  | 'signed'
  | 'sent'
  | 'confirmed'
  | 'finalized'
  | 'failed'
  | 'expired'
  | 'unknown'
  | 'chain_gone';

/** One signed transaction. Durable before its first send; the bytes never change afterwards. */
export interface JournalRow {
  readonly signature: string;
  readonly planId: string;
  readonly revision: number;
  readonly stageId: string;
  readonly intentKey: string;
  readonly wallet: Address;
  readonly network: string;
  readonly mode: Mode;
  /** Fully signed wire bytes, base64. */
  readonly transaction: string;
  readonly messageSha256: string;
  readonly blockhash: string;
  /** Our own dead height: block height of the deciding view + 150. */
  readonly deadHeight: number;
  readonly policyHash: string;
  readonly decisionId: string;
  /**
   * Present where guards were appended to the staged bytes: the index of the first, the staged message's hash, and the assets
   * whose bounds they enforce.
   */
  readonly guarded?: {
    readonly from: number;
    readonly stagedSha256: string;
    readonly enforced: readonly string[];
  };
  /** The service's id of the quote a swap trades: no second signature trades it while this one may have landed. */
  readonly quoteId?: string;
  readonly state: JournalState;
  /** Slot of the block, if known. */
  readonly slot?: number;
  /** The chain's error for a failed transaction, or the reason for `unknown`. */
  readonly detail?: string;
  /** Balance changes of the wallet, once final. */
  readonly moves?: Moves;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** Filter for journal rows; all conditions must hold. */
export interface JournalFilter {
  readonly planId?: string;
  readonly intentKey?: string;
  readonly signature?: string;
  readonly wallet?: Address;
  readonly network?: string;
  readonly principal?: string;
  /** Only rows whose reserved amounts are neither settled nor released, in any state. */
  readonly open?: true;
}

/** Further fields of a state change. */
export interface JournalChange {
  readonly slot?: number;
  readonly detail?: string;
  /** May be absent only for pure observations (confirmed, finalized, failed). */
  readonly lease?: Lease;
  /** Actual amounts at finality, which replace the reserved ones. Unnamed assets keep their reservation. */
  readonly settled?: { readonly actual: readonly ActualUse[]; readonly moves?: Moves };
}

/** Exclusive right to sign for a wallet until `expiresAt`. Every journal write carries its fence. */
export interface Lease {
  readonly wallet: Address;
  readonly holder: string;
  /** Increases with every new holder; writes with an older fence are refused with `LEASE_LOST`. */
  readonly fence: number;
  readonly expiresAt: number;
}

/** One row of the hash-chained decision record. */
export interface DecisionRecord {
  readonly id: string;
  readonly sequence: number;
  /** The hash chain of the row; `place` is its position there, starting at 1. */
  readonly chain: string;
  readonly place: number;
  readonly time: number;
  readonly planId: string;
  /** The requesting principal, on a server for several. */
  readonly principal?: string;
  readonly stageId: string;
  readonly intentKey: string;
  readonly wallet: Address;
  readonly purpose: 'preview' | 'sign';
  readonly decision: Decision;
  /** Hex SHA-256 of the previous row's hash and this row's canonical JSON. */
  readonly hash: string;
  /** Inputs for a replay; read only on request. */
  readonly made?: { readonly inputs: DecisionInputs; readonly view: LedgerView };
}

/** The hashed form of a row in a chain of decisions. */
export interface ChainRow {
  /** Position in the chain, starting at 1. */
  readonly place: number;
  /** Milliseconds since the epoch; never less than in the previous row. */
  readonly time: number;
  /** Hash of the previous row; `hash` covers it and `body`. */
  readonly previous: string;
  readonly hash: string;
  readonly body: string;
}

/** A limit over a window of time, from the policy file. Amounts are bigint. */
export type LimitSpec = WindowLimit;

/** Amount of an asset (`SOL` or mint) that a landed transaction spent, base units. */
export interface ActualUse {
  readonly asset: string;
  readonly amount: bigint;
}

/** Use of a limit within its window: base units, or plans. */
export interface TakenOfLimit {
  readonly time: number;
  readonly amount: bigint;
}

/** Reservation in one transaction, immediately before a signature. */
export interface ReserveRequest {
  readonly lease: Lease;
  readonly decision: DecisionInput;
  readonly limits: readonly LimitSpec[];
  readonly uses: readonly { readonly limitId: string; readonly amount: bigint }[];
  /** Revision of the decided plan; refused with `REBUILT` if older than the stored one, with `SUPERSEDED` for an older run. */
  readonly revision?: number;
  /** Approval of this signature; it must cover the run in the same transaction. */
  readonly approval?: { readonly id: string; readonly run: RunParts };
}

/**
 * Reasons from other processes to sign nothing more of a plan: signing was frozen, the plan
 * was cancelled, a newer run of its intent began, or it was rebuilt.
 */
export type Overtaken = 'FROZEN' | 'CANCELLED' | 'SUPERSEDED' | 'REBUILT';

export type ReserveOutcome =
  | { readonly ok: true; readonly reservationId: string; readonly decisionId: string }
  | {
      readonly ok: false;
      readonly code: Overtaken | 'LIMIT_EXCEEDED' | 'APPROVAL_EXPIRED' | 'LEASE_LOST' | 'IN_DOUBT' | 'REPLAY';
      readonly limitId?: string;
    };

/** The written row; if refused, no row was written and the reservation was released. */
export type JournalOutcome =
  | { readonly ok: true; readonly row: JournalRow }
  | { readonly ok: false; readonly code: Overtaken };

/** A decision to be recorded. */
export interface DecisionInput {
  readonly planId: string;
  readonly principal?: string;
  readonly stageId: string;
  readonly intentKey: string;
  readonly wallet: Address;
  readonly purpose: 'preview' | 'sign';
  readonly decision: Decision;
  /** Stored for replays of the decision. */
  readonly inputs: DecisionInputs;
  readonly view: LedgerView;
}

export type ApprovalState = 'pending' | 'approved' | 'denied' | 'expired';

/** A stored approval. `scopeText` is the serialized `Approval` (`src/statement/`). */
export interface ApprovalRow {
  readonly id: string;
  readonly planId: string;
  readonly intentKey: string;
  readonly wallet: Address;
  readonly network: string;
  readonly approvalDigest: string;
  readonly scopeText: string;
  readonly policyHash: string;
  readonly stages: readonly string[];
  readonly state: ApprovalState;
  /** `grant`: within the bounds of another approval, without a question. */
  readonly channel?: 'elicitation' | 'page' | 'command' | 'grant';
  /** Statement signed by the owner key, in live mode. */
  readonly statement?: string;
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly answeredAt?: number;
  /** The owner's reason for a denial: cleaned, and quoted to the agent. */
  readonly reason?: string;
  /** Grant for similar plans; `revokedAt` is when the owner revoked it. */
  readonly grant?: Grant;
  readonly revokedAt?: number;
  /** The approval with the grant that approved this one; its own id if it has a grant itself. */
  readonly grantId?: string;
  /** Set once the first stage was signed in time: the approval then holds for the rest of the run until `until`. */
  readonly run?: { readonly firstSigned: number; readonly until: number };
}

/**
 * State of a stage (or, without `stageId`, of a plan) without a journal row: it was skipped, it waits
 * for another signer, its plan was denied. A new note replaces the previous one.
 */
export interface PlanNote {
  readonly stageId?: string;
  readonly status: StageStatus | PlanStatus;
  /** A stable code: a reason code of the policy, or `SIGNER_UNAVAILABLE`, `OPTIONAL_LOST`, `WAITING_SETUP`, … */
  readonly code?: string;
  /** A sentence without untrusted text. */
  readonly note?: string;
  /** Id of the requested approval or of the repeated plan. */
  readonly ref?: string;
  readonly at: number;
}

/** State of the newest plan of an intent before the service built the next one. */
export interface BuiltOn {
  readonly planId: string;
  readonly revision: number;
  /** Whether it was complete, so that the next plan is a new run. */
  readonly complete: boolean;
}

/** A signature that excludes another one for the same stage. */
export interface EarlierSignature {
  readonly messageSha256: string;
  /** `unknown`: it may still land. */
  readonly status: 'confirmed' | 'finalized' | 'failed' | 'unknown';
}

/** All rows of one plan, read in one transaction. */
export interface PlanRows {
  readonly plan: Plan;
  /** Journal rows, oldest first. */
  readonly rows: readonly JournalRow[];
  readonly planNotes: readonly PlanNote[];
  /** Newest first, up to the requested number. */
  readonly decisions: readonly DecisionRecord[];
  readonly approvals: readonly ApprovalRow[];
  /** Whether it was cancelled: nothing more of it is signed. */
  readonly cancelled: boolean;
}

/** A signature with its plan and stage at the time of signing. */
export interface Signed {
  readonly row: JournalRow;
  /** Absent if the revision is no longer stored. */
  readonly plan?: Plan;
  readonly stage?: Stage;
}

/** The decided stage and its limits. */
export interface StageOf extends Pick<Plan, 'planId' | 'intentKey' | 'wallet' | 'network'> {
  readonly stageId: string;
  readonly limits: readonly LimitSpec[];
  /** The traded quote. */
  readonly quoteId?: string | undefined;
}

/** State of the ledger that a decision depends on, read in one transaction. */
export interface StageView {
  /** Time of the ledger, as `time()` returns it. */
  readonly time: number;
  /** Used amounts per limit, without the stage's own plan. */
  readonly used: Readonly<Record<string, bigint>>;
  /**
   * Limits that count as used because this ledger replaced a lost one: until when, in milliseconds
   * since the epoch, by id. Until then `used` contains their maximum.
   */
  readonly exhausted: Readonly<Record<string, number>>;
  /** The freeze that applies to the plan. */
  readonly frozen?: Freeze;
  /** The signature that excludes another one for this stage, as in `reserve`. */
  readonly earlier?: EarlierSignature;
  /** All signatures of the intent, oldest first. */
  readonly signed: readonly Signed[];
}

/** Freeze of one principal or, without a name, of all. Times are milliseconds since the epoch. */
export interface Freeze {
  readonly since: number;
  readonly reason: string;
  readonly principal?: string;
}

/** Filter for plans, newest first. */
export interface PlanFilter {
  readonly planId?: string;
  readonly wallet?: Address;
  readonly network?: string;
  readonly intentKey?: string;
  readonly mode?: Mode;
  /** Only plans of this principal. */
  readonly principal?: string;
  readonly limit?: number;
  readonly offset?: number;
}

/** Number of distinct security denials within a window that freezes signing. */
export interface FreezeAfter {
  readonly count: number;
  readonly windowMs: number;
}

/** Filter for decisions, newest first. `before` is a sequence number. */
export interface DecisionFilter {
  readonly id?: string;
  /** Includes the inputs of each decision. */
  readonly inputs?: true;
  readonly planId?: string;
  readonly principal?: string;
  readonly effect?: Decision['effect'];
  readonly limit?: number;
  readonly before?: number;
}

/** Filter for approvals, newest first. */
export interface ApprovalFilter {
  readonly id?: string;
  readonly planId?: string;
  readonly approvalDigest?: string;
  readonly state?: ApprovalState;
  /** The id of an approval with a grant: that approval and those it approved. `any`: every approval with a grant. */
  readonly grantId?: string;
  readonly principal?: string;
}

/**
 * The tables of `Ledger.rows`. With a `principal`, only rows of its plans are returned, and the freezes that apply to it;
 * uses and notes are shared by all principals.
 */
export interface Tables {
  readonly plans: { readonly row: Plan; readonly filter: PlanFilter };
  readonly decisions: { readonly row: DecisionRecord; readonly filter: DecisionFilter };
  /** Oldest first. */
  readonly journal: { readonly row: JournalRow; readonly filter: JournalFilter };
  /** All signatures of an intent with their plans and stages, oldest first. */
  readonly signed: { readonly row: Signed; readonly filter: OfPrincipal & { readonly intentKey: string } };
  /** Stages of a plan that were reserved or signed and may have landed, in the order of their reservations. */
  readonly signedStages: {
    readonly row: SignedStage;
    readonly filter: OfPrincipal & { readonly planId: string };
  };
  readonly approvals: { readonly row: ApprovalRow; readonly filter: ApprovalFilter };
  /** Freezes in force, the global one first. */
  readonly freezes: { readonly row: Freeze; readonly filter: OfPrincipal };
  /**
   * Uses counted in a limit's window now (settled, reserved and in doubt), oldest first. A count limit counts each plan
   * once, whatever its number of stages.
   */
  readonly uses: {
    readonly row: TakenOfLimit;
    readonly filter: OfPrincipal & {
      readonly limit: LimitSpec;
      readonly wallet: Address;
      readonly network: string;
    };
  };
  /** Small values of the home: accepted policy hash, owner public key, quotes, … */
  readonly notes: {
    readonly row: { readonly key: string; readonly value: string };
    readonly filter: OfPrincipal & { readonly key: string };
  };
}

interface OfPrincipal {
  readonly principal?: string;
}
