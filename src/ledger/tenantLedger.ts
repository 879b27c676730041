/** The one wrapper of a store: the ledger as a tenant of this process uses it. Works for any `Ledger`, class instances included. */
import { remember } from '../base/remember.ts';
import type { Plan } from '../plan/types.ts';
import { lost } from './errors.ts';
import type { Freeze, JournalFilter, Ledger } from './types.ts';

export interface TenantLedgerOptions {
  /** Only rows of its plans are visible (T123), and every write carries its name. Absent: the home itself, which sees all. */
  readonly principal?: string | undefined;
  /** Returns the freeze this process knows of, which other code may have removed from the database (T57). */
  readonly frozen?: () => Promise<Freeze | undefined>;
  /** Throws for a plan that must not be stored. */
  readonly checkPlan?: (plan: Plan) => void;
}

/**
 * Returns the ledger of one tenant. Fails with `LEDGER_LOST` before a plan is signed again whose earlier signature by
 * this process is missing: another program removed it from the database (T134). Leases and limits belong to the wallet
 * and are shared by all tenants; notes, request budget and health belong to the home. Every method is listed, so that
 * each new one needs a decision.
 */
export function tenantLedger(ledger: Ledger, options: TenantLedgerOptions = {}): Ledger {
  const { principal, frozen, checkPlan } = options;
  const own = principal === undefined ? {} : { principal };
  const isOwn = (plan: Plan | undefined) => principal === undefined || plan?.principal === principal;
  const owns = async (planId: string): Promise<boolean> =>
    principal === undefined || (await ledger.rows('plans', { planId, ...own })).length > 0;
  /** Signatures by this process, by plan. */
  const made = new Map<string, readonly string[]>();

  return {
    storePlan: async (plan, how) => {
      if (!isOwn(plan)) throw new TypeError('a plan of another principal');
      checkPlan?.(plan);
      return ledger.storePlan(plan, how);
    },
    rows: (table, filter) => {
      // Any tenant that works with a wallet follows its open rows: the one that signed may never return.
      const { open, wallet }: JournalFilter = table === 'journal' ? filter : {};
      const isShared = open === true && wallet !== undefined;
      return ledger.rows(table, isShared ? filter : { ...filter, ...own });
    },
    count: (table, filter) => ledger.count(table, { ...filter, ...own }),
    planRows: async (planId, decisions) => {
      const rows = await ledger.planRows(planId, decisions);
      return isOwn(rows?.plan) ? rows : undefined;
    },
    setPlanNote: async (planId, planNote) => {
      if (await owns(planId)) await ledger.setPlanNote(planId, planNote);
    },
    // `earlier` covers all principals: a signature that excludes a second one excludes it for each of them.
    view: async (of) => {
      const { frozen: stored, ...view } = await ledger.view(of);
      const freeze = (await frozen?.()) ?? stored;
      const signed = view.signed.filter(({ plan }) => isOwn(plan));
      return { ...view, signed, ...(freeze === undefined ? {} : { frozen: freeze }) };
    },
    recordDecision: (input, freezeAfter) => ledger.recordDecision({ ...input, ...own }, freezeAfter),
    reserve: async (request) => {
      const { planId } = request.decision;
      const ours = made.get(planId) ?? [];
      const known = ours.length === 0 ? [] : await ledger.rows('journal', { planId });
      if (ours.some((signature) => !known.some((row) => row.signature === signature)))
        throw lost('A signature of this process is missing from the ledger.');
      return ledger.reserve({ ...request, decision: { ...request.decision, ...own } });
    },
    release: (reservationId) => ledger.release(reservationId),
    journalSigned: async (lease, reservationId, row) => {
      const outcome = await ledger.journalSigned(lease, reservationId, row);
      if (outcome.ok) remember(made, row.planId, [...(made.get(row.planId) ?? []), row.signature]);
      return outcome;
    },
    journalMove: (signature, state, change) => ledger.journalMove(signature, state, change),
    lease: (of, ttlMs) => ledger.lease(of, ttlMs),
    askApproval: async (row) => {
      if (!(await owns(row.planId))) throw new TypeError('a question about a plan of another principal');
      return ledger.askApproval(row);
    },
    answerApproval: async (id, answer) => {
      if (principal !== undefined && (await ledger.rows('approvals', { id, principal })).length === 0)
        throw new TypeError('a question of another principal');
      return ledger.answerApproval(id, answer);
    },
    freeze: async (change, of) => {
      if (principal !== undefined && typeof change !== 'string')
        throw new TypeError('only the home as a whole can lift a freeze');
      return ledger.freeze(change, principal ?? of);
    },
    setNote: (key, value, how) => ledger.setNote(key, value, how),
    leaseRequests: (origin, want, perHour) => ledger.leaseRequests(origin, want, perHour),
    time: () => ledger.time(),
    ...(ledger.wakes === undefined ? {} : { wakes: ledger.wakes }),
    // The home's runtime closes the store.
    close: async () => undefined,
  };
}
