/**
 * The durable store behind one interface: plans, journal, reservations, decisions, approvals, leases.
 * Every method is one transaction; nothing here holds a lock across a network call.
 */
import type { Mode, Plan, PlanStatus, Stage, StageStatus } from '../plan/types.ts';
import type { Decision, DecisionInputs, LedgerView } from '../policy/decide/types.ts';
import type { Grant } from '../statement/grant.ts';
import type { RunParts, SignedStage } from '../statement/run.ts';
import type { Address } from '../transaction/types.ts';
import type { ActualUse, LimitSpec, TakenOfLimit } from './limits.ts';
import type { Moves, RecordedMoves } from './moves.ts';
import type { Wakes } from './wakes.ts';

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
  readonly createdAt: number;
  readonly updatedAt: number;
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
  /** As `used` says, the stage's own plan left out. */
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

/** Which stored plans to list. */
export interface PlanFilter {
  readonly wallet?: Address;
  readonly network?: string;
  readonly intentKey?: string;
  /** Those of one principal. */
  readonly principal?: string;
  readonly limit?: number;
  readonly offset?: number;
}

/** Which decisions to list. `before` is a sequence number. */
export interface DecisionFilter {
  readonly planId?: string;
  readonly principal?: string;
  readonly effect?: Decision['effect'];
  readonly limit?: number;
  readonly before?: number;
}

/** The ledger. Amounts are bigint; times are milliseconds since the epoch. */
export interface Ledger {
  /**
   * Finds or stores the plan of an intent's run, so that processes which build one intent at once get one plan. `on` is
   * what the plan was built on, absent where there was nothing. A plan is stored as the first of its intent; as the next
   * revision of the newest plan, unless that is complete or the revision leaves out a stage that was signed and has
   * landed or may, or gives its id to another stage; or as a new run, when the newest was complete before the service was asked or with `again`, while no
   * signature of the intent may still land. Else the newest plan is given as it is and nothing is stored.
   */
  storePlan(
    plan: Plan,
    how?: { readonly on?: BuiltOn; readonly again?: boolean },
  ): Promise<{ readonly plan: Plan; readonly stored: boolean }>;
  /** The plan of an intent's newest run. */
  newestPlan(of: Pick<Plan, 'intentKey' | 'mode'>): Promise<Plan | undefined>;
  /** What bears on a decision about a stage. */
  view(of: StageOf): Promise<StageView>;
  plan(planId: string): Promise<Plan | undefined>;
  /** A plan with everything that says where it stands, and its newest `decisions` (none, unless told how many). */
  planRows(planId: string, decisions?: number): Promise<PlanRows | undefined>;
  plans(filter: PlanFilter): Promise<Plan[]>;
  /** Whose plan it is; `undefined` where the plan is unknown or names none. */
  principalOf(planId: string): Promise<string | undefined>;
  /** Every signature of a plan, or of all plans of an intent, oldest first, with what it was made for. */
  signed(of: { planId: string } | { intentKey: string }): Promise<Signed[]>;
  setPlanNote(planId: string, planNote: Omit<PlanNote, 'at'>): Promise<void>;
  clearPlanNote(planId: string, stageId?: string): Promise<void>;

  /** Milliseconds since the epoch, never less than the newest time stored (F47). */
  time(): Promise<number>;

  /** Records a decision that leads to no signature (previews, denials, approvals asked). Returns its id. */
  recordDecision(input: DecisionInput): Promise<DecisionRecord>;
  decisions(filter: DecisionFilter): Promise<DecisionRecord[]>;
  /** How many rows of a filter there are, whatever its limit and offset. */
  countPlans(filter: PlanFilter): Promise<number>;
  countDecisions(filter: DecisionFilter): Promise<number>;
  decisionInputs(id: string): Promise<{ inputs: DecisionInputs; view: LedgerView } | undefined>;
  /**
   * Walks every chain of decisions; the first row that does not fit and why, if any (`chains/verify.ts`).
   */
  verifyDecisions(): Promise<{
    readonly rows: number;
    readonly chains: number;
    readonly brokenAt?: number;
    readonly chain?: string;
    readonly place?: number;
    readonly why?: 'missing' | 'changed' | 'inputs changed' | 'inputs missing';
  }>;
  /** The chains of decisions, the home's first. */
  chains(): Promise<string[]>;
  /** Rows of a chain, newest first, from before a place on: at most 200. Rejects with `LEDGER_CORRUPT` where one is gone. */
  chainRows(chain: string, before?: number): Promise<ChainRow[]>;

  acquireLease(wallet: Address, holder: string, ttlMs: number): Promise<Lease | undefined>;
  renewLease(lease: Lease, ttlMs: number): Promise<Lease | undefined>;
  releaseLease(lease: Lease): Promise<void>;

  /**
   * Used amounts per limit (settled + reserved + in doubt) in its window now. A count limit counts plans, each
   * once however many stages it has; the plan given is left out, so that its next stage may still be signed.
   */
  used(
    limits: readonly LimitSpec[],
    wallet: Address,
    network: string,
    planId?: string,
  ): Promise<Record<string, bigint>>;
  /** Limits, freeze, approval and replay re-checked and taken in one transaction, with the decision row. */
  reserve(request: ReserveRequest): Promise<ReserveOutcome>;
  /**
   * Writes the journal row of a transaction that was just signed, binding its reservation. What may have overtaken the
   * plan since the reservation is looked at in the same transaction: a signature without a row never leaves the process.
   */
  journalSigned(
    lease: Lease,
    reservationId: string,
    row: Omit<JournalRow, 'state' | 'createdAt' | 'updatedAt'>,
  ): Promise<JournalOutcome>;
  /** Moves a journal row. `lease` may be absent only for pure observations (confirmed, finalized, failed). */
  journalMove(
    signature: string,
    state: JournalState,
    change?: { readonly slot?: number; readonly detail?: string; readonly lease?: Lease },
  ): Promise<void>;
  journal(of: { planId: string } | { intentKey: string } | { signature: string }): Promise<JournalRow[]>;
  /** Rows whose amounts are neither settled nor given back, whatever their state: what is still to be done. */
  openRows(filter: { wallet?: Address; network?: string }): Promise<JournalRow[]>;
  /** What is counted in a limit's window now, oldest first: its sum is what `used` says. */
  taken(limit: LimitSpec, wallet: Address, network: string): Promise<TakenOfLimit[]>;
  /**
   * Replaces reserved amounts by what really happened (at finality). Assets not named keep what was reserved. `moves` are
   * kept for the history.
   */
  settle(signature: string, actual: readonly ActualUse[], moves?: Moves): Promise<void>;
  /** What landed transactions moved, oldest first: of one plan, of a principal's, or of all of them. */
  moves(filter: { planId?: string; principal?: string }): Promise<RecordedMoves[]>;
  /**
   * The start of work under a lease. Releases what was reserved under older fences and never signed, so that its approvals
   * become usable again; in the sandbox closes rows of embedded chains that are gone, unless a living process holds their
   * wallet, and releases what they reserved. Returns the wallet's open rows on this network, oldest first.
   */
  takeOver(lease: Lease, on: { readonly network: string; readonly mode: Mode }): Promise<JournalRow[]>;
  /** Gives a reservation back: only when its stage is proven never to land, or was never signed. */
  release(by: { readonly signature: string } | { readonly reservationId: string }): Promise<void>;

  /** Stores a question. With `grantId` it is approved by that grant; where that has no room, nothing is stored and it reads `expired`. */
  askApproval(
    row: Omit<ApprovalRow, 'state' | 'answeredAt' | 'channel' | 'statement' | 'reason' | 'grant'>,
  ): Promise<ApprovalRow>;
  /** Answers a question once. A later no to a yes with a grant ends the grant. */
  answerApproval(
    id: string,
    answer: {
      readonly state: 'approved' | 'denied';
      readonly channel: NonNullable<ApprovalRow['channel']>;
      readonly statement?: string;
      readonly reason?: string;
      readonly grant?: Grant;
    },
  ): Promise<ApprovalRow>;
  approvals(filter: {
    state?: ApprovalState;
    planId?: string;
    approvalDigest?: string;
    id?: string;
    /** The id of an approval with a grant: that one and those by it. `any`: every approval with a grant. */
    grantId?: string;
  }): Promise<ApprovalRow[]>;

  /** What was reserved or signed for a plan and may have landed, or landed and failed, in the order it was reserved. */
  signedStages(planId: string): Promise<SignedStage[]>;

  /** Stops signing: of one principal's plans, or of all. The first freeze of each stays until it is lifted. */
  freeze(reason: string, principal?: string): Promise<void>;
  unfreeze(statement?: string, principal?: string): Promise<void>;
  /** The freeze of all, or with a name that principal's own. Nothing is signed under either. */
  frozen(principal?: string): Promise<Freeze | undefined>;
  /** Every freeze that stands, that of all first. */
  freezes(): Promise<Freeze[]>;
  /**
   * Distinct messages denied for security at submit since `since`; a program that no entry lists counts once. Those of a
   * principal, or those that no principal asked for.
   */
  securityDenials(since: number, principal?: string): Promise<number>;

  /** Keeps a quote; `false` where another one stands under this id already, which stays as it is. */
  saveQuote(requestId: string, quote: unknown, expiresAt: number): Promise<boolean>;
  quote(requestId: string): Promise<{ quote: unknown; expiresAt: number } | undefined>;

  /** Takes a block of service requests from the budget shared by every process of this user. */
  leaseRequests(
    origin: string,
    want: number,
    perHour: number,
  ): Promise<{ readonly granted: number; readonly resetAt: number }>;

  /** Small values of this home: accepted policy hash, owner public key, … */
  note(key: string): Promise<string | undefined>;
  setNote(key: string, value: string): Promise<void>;

  /** What ends waits early; absent where no other process is told of changes. See `waitFor`. */
  readonly wakes?: Wakes;

  /** Health probe before a signature: `LEDGER_UNHEALTHY` on a full disk, `LEDGER_CORRUPT` on a damaged file. */
  probe(): Promise<void>;
  close(): Promise<void>;
}
