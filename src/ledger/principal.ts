/**
 * The ledger as one principal's part of a server sees it: plans, decisions, quotes and history of other principals do not
 * exist in it (T123). What belongs to a wallet (its lease and its limits) is shared by all who use the wallet.
 */
import type { Ledger } from './types.ts';

/**
 * `ledger`, with what is another principal's left out, and everything that is written marked as this one's. Each method
 * stands here by name, so that a new one of the port has to be decided.
 */
export function ledgerOf(ledger: Ledger, principal: string): Ledger {
  const owns = async (planId: string): Promise<boolean> =>
    (await ledger.rows('plans', { planId, principal })).length > 0;
  const { time, lease, takeOver, journalSigned, journalMove, release } = ledger;

  return {
    storePlan: (plan, how) => {
      if (plan.principal !== principal) throw new TypeError('a plan of another principal');
      return ledger.storePlan(plan, how);
    },
    rows: (table, filter) => {
      // Open rows of a wallet are followed by the next principal that works with it: the one that signed may never return.
      const isShared = 'open' in filter && 'wallet' in filter && filter.wallet !== undefined;
      return ledger.rows(table, isShared ? filter : { ...filter, principal });
    },
    count: (table, filter) => ledger.count(table, { ...filter, principal }),
    planRows: async (planId, decisions) => {
      const rows = await ledger.planRows(planId, decisions);
      return rows?.plan.principal === principal ? rows : undefined;
    },
    setPlanNote: async (planId, planNote) => {
      if (await owns(planId)) await ledger.setPlanNote(planId, planNote);
    },
    // As a reservation sees it: a signature that forbids a second one forbids it to every principal.
    view: async (of) => {
      const view = await ledger.view(of);
      return { ...view, signed: view.signed.filter(({ plan }) => plan?.principal === principal) };
    },
    recordDecision: (input, freezeAfter) => ledger.recordDecision({ ...input, principal }, freezeAfter),
    reserve: (request) => ledger.reserve({ ...request, decision: { ...request.decision, principal } }),
    askApproval: async (row) => {
      if (!(await owns(row.planId))) throw new TypeError('a question about a plan of another principal');
      return ledger.askApproval(row);
    },
    answerApproval: async (id, answer) => {
      if ((await ledger.rows('approvals', { id, principal })).length === 0)
        throw new TypeError('a question of another principal');
      return ledger.answerApproval(id, answer);
    },

    // What denials freeze is this principal's own; what a person froze is frozen here too, and only a person lifts either.
    freeze: (reason) => ledger.freeze(reason, principal),
    unfreeze: () => Promise.reject(new TypeError('only the home as a whole can do this')),
    // A wallet's, shared by all who use it; or by a reservation, a lease or a signature, which come from this part.
    ...{ time, lease, takeOver, journalSigned, journalMove, release },
    // Of the home: what the service may be asked, what is noted of tokens and acceptances, whether the ledger can be written.
    leaseRequests: ledger.leaseRequests,
    setNote: ledger.setNote,
    ...(ledger.wakes === undefined ? {} : { wakes: ledger.wakes }),
    probe: ledger.probe,
    // Other parts go on with it.
    close: async () => undefined,
  };
}
