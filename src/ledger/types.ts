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
   * Finds or stores the plan of an intent's run, so that processes which build one intent at once get one plan. `on` is
   * what the plan was built on, absent where there was nothing. A plan is stored as the first of its intent; as the next
   * revision of the newest plan, unless that is complete or the revision leaves out a stage that was signed and has
   * landed or may, or gives its id to another stage; or as a new run, when the newest was complete before the service was
   * asked or with `again`, while no signature of the intent may still land. Else the newest plan is given as it is and
   * nothing is stored.
   */
  storePlan(
    plan: Plan,
    how?: { readonly on?: BuiltOn; readonly again?: boolean },
  ): Promise<{ readonly plan: Plan; readonly stored: boolean }>;
  /** Returns the rows of a table that match a filter. */
  rows<T extends keyof Tables>(table: T, filter: Tables[T]['filter']): Promise<Tables[T]['row'][]>;
  /** Counts the plans or decisions that match a filter, regardless of its limit and offset. */
  count<T extends 'plans' | 'decisions'>(table: T, filter: Tables[T]['filter']): Promise<number>;
  /** A plan with everything that says where it stands, and its newest `decisions` (none, unless told how many). */
  planRows(planId: string, decisions?: number): Promise<PlanRows | undefined>;
  /** Sets the note of a plan, or of one of its stages; without a status it is removed. */
  setPlanNote(planId: string, planNote: Partial<Omit<PlanNote, 'at'>>): Promise<void>;

  /** What bears on a decision about a stage. */
  view(of: StageOf): Promise<StageView>;
  /**
   * Records a decision that leads to no signature (previews, denials, approvals asked). A denial for security freezes its
   * principal, or all where it has none, with the `freezeAfter.count`th distinct one at submit; a program that no entry
   * lists counts once.
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
  /** Limits, freeze, approval and replay re-checked and taken in one transaction, with the decision row. */
  reserve(request: ReserveRequest): Promise<ReserveOutcome>;
  /** Gives back what was reserved for a signature that was never journaled. */
  release(reservationId: string): Promise<void>;
  /**
   * Writes the journal row of a transaction that was just signed, binding its reservation. What may have overtaken the
   * plan since the reservation is looked at in the same transaction: a signature without a row never leaves the process.
   */
  journalSigned(
    lease: Lease,
    reservationId: string,
    row: Omit<JournalRow, 'state' | 'createdAt' | 'updatedAt'>,
  ): Promise<JournalOutcome>;
  /** Moves a journal row. Gives its reservation back with `expired`: only when it is proven never to land. */
  journalMove(signature: string, state: JournalState, change?: JournalChange): Promise<void>;
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
  /**
   * Freezes signing of one principal's plans, or of all, for a reason; an existing freeze stays. With `lifted` ends the
   * freeze, and keeps the owner's statement.
   */
  freeze(change: string | { readonly lifted: string | undefined }, principal?: string): Promise<void>;
  /**
   * Keeps a note. With `onceUntil` (milliseconds since the epoch), only where there never was one: its value is forgotten after that
   * time, and the key is never free again. Returns whether the note now holds the value.
   */
  setNote(key: string, value: string, how?: { readonly onceUntil: number }): Promise<boolean>;
  /** Takes a block of service requests from the budget shared by every process of this user. */
  leaseRequests(
    origin: string,
    want: number,
    perHour: number,
  ): Promise<{ readonly granted: number; readonly resetAt: number }>;

  /** Milliseconds since the epoch, never less than the newest time stored (F47). */
  time(): Promise<number>;
  /** What ends waits early; absent where no other process is told of changes. See `waitFor`. */
  readonly wakes?: Wakes;
  close(): Promise<void>;
}
