/** The rows of the ledger, and what is asked of it. */
import type { Mode, Plan, PlanStatus, Stage, StageStatus } from '../plan/types.ts';
import type { Decision, DecisionInputs, LedgerView } from '../policy/decide/types.ts';
import type { Grant } from '../statement/grant.ts';
import type { RunParts } from '../statement/run.ts';
import type { Address } from '../transaction/types.ts';
import type { ActualUse, LimitSpec } from './limits.ts';
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
  /** The slot it landed in, where known. */
  readonly slot?: number;
  /** The chain's error for a failed transaction, or why it is unknown. */
  readonly detail?: string;
  /** What it did to the wallet, once it is final. */
  readonly moves?: Moves;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** Which rows of the journal to read. */
export interface JournalFilter {
  readonly planId?: string;
  readonly intentKey?: string;
  readonly signature?: string;
  readonly wallet?: Address;
  readonly network?: string;
  readonly principal?: string;
  /** Those whose amounts are neither settled nor given back, whatever their state: what is still to be done. */
  readonly open?: true;
}

/** What is known of a row beside its new state. */
export interface JournalChange {
  readonly slot?: number;
  readonly detail?: string;
  /** May be absent only for pure observations (confirmed, finalized, failed). */
  readonly lease?: Lease;
  /** What really happened, at finality: replaces the reserved amounts. Assets not named keep what was reserved. */
  readonly settled?: { readonly actual: readonly ActualUse[]; readonly moves?: Moves };
}

/** Exclusive right to sign for a wallet, for a while. Every journal write carries its fence. */
export interface Lease {
  readonly wallet: Address;
  readonly holder: string;
  /** Grows with every new holder; a write with an older fence is refused with `LEASE_LOST`. */
  readonly fence: number;
  readonly expiresAt: number;
}

/** One row of the hash-chained decision record. */
export interface DecisionRecord {
  readonly id: string;
  readonly sequence: number;
  /** The chain it stands in, and its place there, from 1 on. */
  readonly chain: string;
  readonly place: number;
  readonly time: number;
  readonly planId: string;
  /** Who asked, where a server works for several. */
  readonly principal?: string;
  readonly stageId: string;
  readonly intentKey: string;
  readonly wallet: Address;
  readonly purpose: 'preview' | 'sign';
  readonly decision: Decision;
  /** Hex SHA-256 of the previous row's hash and this row's canonical JSON. */
  readonly hash: string;
  /** What it was made from, so that it can be replayed; read where it was asked for. */
  readonly made?: { readonly inputs: DecisionInputs; readonly view: LedgerView };
}

/** One row of a chain of decisions as its hash is over it. */
export interface ChainRow {
  /** From 1 on. */
  readonly place: number;
  /** Milliseconds since the epoch: never less than that of the row before. */
  readonly time: number;
  /** The hash of the row before: `hash` is over it and `body`. */
  readonly previous: string;
  readonly hash: string;
  readonly body: string;
}

/** What to take in one atomic step right before a signature is made. */
export interface ReserveRequest {
  readonly lease: Lease;
  readonly decision: DecisionInput;
  readonly limits: readonly LimitSpec[];
  readonly uses: readonly { readonly limitId: string; readonly amount: bigint }[];
  /** The plan's revision that was decided on; an older one than the stored is refused with `REBUILT`, an older run with `SUPERSEDED`. */
  readonly revision?: number;
  /** The approval that this signature is made under: it must cover the run as it is in the same transaction. */
  readonly approval?: { readonly id: string; readonly run: RunParts };
}

/**
 * What another process may do to a plan at any moment, so that nothing more of it is signed: signing was frozen, the plan
 * was cancelled, a newer run of its intent has begun, or it was built again.
 */
export type Overtaken = 'FROZEN' | 'CANCELLED' | 'SUPERSEDED' | 'REBUILT';

export type ReserveOutcome =
  | { readonly ok: true; readonly reservationId: string; readonly decisionId: string }
  | {
      readonly ok: false;
      readonly code: Overtaken | 'LIMIT_EXCEEDED' | 'APPROVAL_EXPIRED' | 'LEASE_LOST' | 'IN_DOUBT' | 'REPLAY';
      readonly limitId?: string;
    };

/** The row as it was written. Refused: no row was written, and the reservation was given back. */
export type JournalOutcome =
  | { readonly ok: true; readonly row: JournalRow }
  | { readonly ok: false; readonly code: Overtaken };

/** A decision on its way into the record. */
export interface DecisionInput {
  readonly planId: string;
  readonly principal?: string;
  readonly stageId: string;
  readonly intentKey: string;
  readonly wallet: Address;
  readonly purpose: 'preview' | 'sign';
  readonly decision: Decision;
  /** Kept so that the decision can be replayed. */
  readonly inputs: DecisionInputs;
  readonly view: LedgerView;
}

export type ApprovalState = 'pending' | 'approved' | 'denied' | 'expired';

/** An approval as stored. `scopeText` is the text of the `Approval` (`src/statement/`) that was asked for. */
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
  /** `grant`: by the bounds of another approval, without a question. */
  readonly channel?: 'elicitation' | 'page' | 'command' | 'grant';
  /** The owner key's statement, in live mode. */
  readonly statement?: string;
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly answeredAt?: number;
  /** Why a person denied it, in their own words: cleaned, and shown to the agent in quotes. */
  readonly reason?: string;
  /** The like that was approved with it, and when the owner ended that. */
  readonly grant?: Grant;
  readonly revokedAt?: number;
  /** The approval whose grant this is an approval by, or its own id where it has a grant. */
  readonly grantId?: string;
  /** Past `expiresAt`: its first stage was signed in time, so that it holds until then for the rest of the run. */
  readonly run?: { readonly firstSigned: number; readonly until: number };
}

/**
 * What is known of a stage (or, without `stageId`, of a plan) that no journal row says: it was skipped, it waits
 * for another signer, its plan was denied. The newest replaces the one before.
 */
export interface PlanNote {
  readonly stageId?: string;
  readonly status: StageStatus | PlanStatus;
  /** A stable code: a reason code of the policy, or `SIGNER_UNAVAILABLE`, `OPTIONAL_LOST`, `WAITING_SETUP`, … */
  readonly code?: string;
  /** A sentence without untrusted text. */
  readonly note?: string;
  /** The approval that was asked for, the plan that is repeated. */
  readonly ref?: string;
  readonly at: number;
}

/** The newest plan of an intent, as it was before the service was asked for the next one. */
export interface BuiltOn {
  readonly planId: string;
  readonly revision: number;
  /** Whether it was complete by then, so that a new run was due. */
  readonly complete: boolean;
}

/** A signature that forbids another one of the same stage. */
export interface EarlierSignature {
  readonly messageSha256: string;
  /** `unknown`: it may still land. */
  readonly status: 'confirmed' | 'finalized' | 'failed' | 'unknown';
}

/** What the ledger holds of one plan, all of it as it was at one moment. */
export interface PlanRows {
  readonly plan: Plan;
  /** The journal's, oldest first. */
  readonly rows: readonly JournalRow[];
  readonly planNotes: readonly PlanNote[];
  /** Newest first, as many as were asked for. */
  readonly decisions: readonly DecisionRecord[];
  readonly approvals: readonly ApprovalRow[];
  /** It was stopped for good: nothing more of it is signed. */
  readonly cancelled: boolean;
}

/** A signature with the plan and the stage it was made for, as they were then. */
export interface Signed {
  readonly row: JournalRow;
  /** Absent where the revision is not kept any more. */
  readonly plan?: Plan;
  readonly stage?: Stage;
}

/** The stage a decision is about, and the limits it counts in. */
export interface StageOf extends Pick<Plan, 'planId' | 'intentKey' | 'wallet' | 'network'> {
  readonly stageId: string;
  readonly limits: readonly LimitSpec[];
  /** The quote that the plan trades. */
  readonly quoteId?: string | undefined;
}

/** What the ledger knows that bears on a decision, all of it as it was at one moment. */
export interface StageView {
  /** As `time` says. */
  readonly time: number;
  /** Used amounts per limit; the stage's own plan is not counted, so that its next stage may still be signed. */
  readonly used: Readonly<Record<string, bigint>>;
  /**
   * The limits that count as used because this ledger was accepted in the place of a lost one: until when, in milliseconds
   * since the epoch, by id. `used` counts each with its whole maximum until then.
   */
  readonly exhausted: Readonly<Record<string, number>>;
  /** What nothing of the plan is signed under. */
  readonly frozen?: Freeze;
  /** The signature that forbids one of this stage: as `reserve` sees it. */
  readonly earlier?: EarlierSignature;
  /** Every signature of the intent, oldest first. */
  readonly signed: readonly Signed[];
}

/** Signing is stopped: for one principal, or without a name for all. Times are milliseconds since the epoch. */
export interface Freeze {
  readonly since: number;
  readonly reason: string;
  readonly principal?: string;
}

/** Which stored plans to list, newest first. */
export interface PlanFilter {
  readonly planId?: string;
  readonly wallet?: Address;
  readonly network?: string;
  readonly intentKey?: string;
  readonly mode?: Mode;
  /** Those of one principal. */
  readonly principal?: string;
  readonly limit?: number;
  readonly offset?: number;
}

/** How many distinct denials for security, within which time, freeze signing. */
export interface FreezeAfter {
  readonly count: number;
  readonly windowMs: number;
}

/** Which decisions to list, newest first. `before` is a sequence number. */
export interface DecisionFilter {
  readonly id?: string;
  /** With what each was made from. */
  readonly inputs?: true;
  readonly planId?: string;
  readonly principal?: string;
  readonly effect?: Decision['effect'];
  readonly limit?: number;
  readonly before?: number;
}
