/**
 * The durable store behind one interface: plans, journal, reservations, decisions, approvals, leases.
 * Every method is one transaction; nothing here holds a lock across a network call.
 */
import type { Plan } from '../plan/types.ts';
import type { Grant } from '../statement/grant.ts';
import type {
  ApprovalRow,
  BuiltOn,
  DecisionInput,
  DecisionRecord,
  FreezeAfter,
  JournalChange,
  JournalOutcome,
  JournalRow,
  JournalState,
  Lease,
  PlanNote,
  PlanRows,
  ReserveOutcome,
  ReserveRequest,
  StageOf,
  StageView,
  Tables,
} from './rows.ts';
import type { Wakes } from './wakes.ts';

export type * from './rows.ts';

/** The ledger. Amounts are bigint; times are milliseconds since the epoch. */
export interface Ledger {
  /**
   * Finds or stores the plan of an intent's run, so that concurrent builds of one intent get one plan. `on` is the state the
   * plan was built on, absent for the first build. Stores the plan as the first of its intent; as the next revision of the
   * newest plan, unless that is complete or the revision drops or renames a stage that landed or may land; or as a new
   * run, if the newest plan was complete before the build or with `again`, while no signature of the intent may land.
   * Otherwise stores nothing and returns the newest plan.
   */
  storePlan(
    plan: Plan,
    how?: { readonly on?: BuiltOn; readonly again?: boolean },
  ): Promise<{ readonly plan: Plan; readonly stored: boolean }>;
  /** Returns the rows of a table that match a filter. */
  rows<T extends keyof Tables>(table: T, filter: Tables[T]['filter']): Promise<Tables[T]['row'][]>;
  /** Counts the plans or decisions that match a filter, regardless of its limit and offset. */
  count<T extends 'plans' | 'decisions'>(table: T, filter: Tables[T]['filter']): Promise<number>;
  /** Returns all rows of a plan, with up to `decisions` newest decisions (default none). */
  planRows(planId: string, decisions?: number): Promise<PlanRows | undefined>;
  /** Sets the note of a plan or stage; without a status removes it. */
  setPlanNote(planId: string, planNote: Partial<Omit<PlanNote, 'at'>>): Promise<void>;

  /** Returns the state that a decision about a stage depends on. */
  view(of: StageOf): Promise<StageView>;
  /**
   * Records a decision without a signature (previews, denials, questions). The `freezeAfter.count`th distinct security denial
   * at submit freezes its principal, or all without one; an unlisted program counts once.
   */
  recordDecision(input: DecisionInput, freezeAfter?: FreezeAfter): Promise<DecisionRecord>;
  /**
   * Leases the exclusive right to sign for a wallet; `undefined` while another holder has it. A new lease releases what
   * earlier holders reserved and never signed, so that its approvals become usable again. The same holder gets its lease
   * again, extended. With the `fence` of a lease only that lease is extended: `undefined` once another process took over.
   * For 0 ms it is given back.
   */
  lease(
    of: Pick<Lease, 'wallet' | 'holder'> & Partial<Pick<Lease, 'fence'>>,
    ttlMs: number,
  ): Promise<Lease | undefined>;
  /** Checks limits, freeze, approval and replay again, reserves and records the decision, in one transaction. */
  reserve(request: ReserveRequest): Promise<ReserveOutcome>;
  /** Releases a reservation whose signature was never journaled. */
  release(reservationId: string): Promise<void>;
  /**
   * Writes the journal row of a new signature and binds its reservation. Checks again in the same transaction whether the plan
   * was overtaken: a signature without a row never leaves the process.
   */
  journalSigned(
    lease: Lease,
    reservationId: string,
    row: Omit<JournalRow, 'state' | 'createdAt' | 'updatedAt'>,
  ): Promise<JournalOutcome>;
  /** Changes the state of a journal row. `expired` releases its reservation: only for a transaction proven never to land. */
  journalMove(signature: string, state: JournalState, change?: JournalChange): Promise<void>;
  /** Stores a question. With `grantId` the grant approves it; if the grant is used up, nothing is stored and the row reads `expired`. */
  askApproval(
    row: Omit<ApprovalRow, 'state' | 'answeredAt' | 'channel' | 'statement' | 'reason' | 'grant'>,
  ): Promise<ApprovalRow>;
  /** Answers a question once. A later denial of an approval with a grant revokes the grant. */
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
  /**
   * Freezes signing of one principal's plans, or of all, for a reason; an existing freeze stays. With `lifted` ends the
   * freeze, and keeps the owner's statement.
   */
  freeze(change: string | { readonly lifted: string | undefined }, principal?: string): Promise<void>;
  /**
   * Sets a note. With `onceUntil` (milliseconds since the epoch), only if the key was never used: the value is forgotten after
   * that time, the key stays used. Returns whether the note now has the value.
   */
  setNote(key: string, value: string, how?: { readonly onceUntil: number }): Promise<boolean>;
  /** Leases service requests of the budget shared by all processes of this user. */
  leaseRequests(
    origin: string,
    want: number,
    perHour: number,
  ): Promise<{ readonly granted: number; readonly resetAt: number }>;

  /** Milliseconds since the epoch, never less than the newest time stored (F47). */
  time(): Promise<number>;
  /** Notifications that end waits early, if the store has them. See `waitFor`. */
  readonly wakes?: Wakes;
  close(): Promise<void>;
}
