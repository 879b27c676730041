/**
 * The ledger as one principal's part of a server sees it: plans, decisions, quotes and history of other principals do not
 * exist in it (T123). What belongs to a wallet (its lease and its limits) is shared by all who use the wallet.
 */
import type { Ledger } from './types.ts';

/** `ledger`, with what is another principal's left out, and everything that is written marked as this one's. */
export function ledgerOf(ledger: Ledger, principal: string): Ledger {
  const owns = async (planId: string): Promise<boolean> => (await ledger.principalOf(planId)) === principal;
  /** Reads of one plan: empty where it is another's. */
  const ofOwn = async <T>(planId: string, read: () => Promise<T>, none: T): Promise<T> =>
    (await owns(planId)) ? read() : none;
  const onlyOwn = async <T extends { readonly planId: string }>(rows: readonly T[]): Promise<T[]> => {
    const own = await Promise.all(rows.map(({ planId }) => owns(planId)));
    return rows.filter((_, index) => own[index]);
  };
  /** The service chooses the ids of quotes, so two principals may be given one. */
  const quoteId = (requestId: string): string => JSON.stringify([principal, requestId]);

  return {
    ...ledger,
    storePlan: (plan, how) => {
      if (plan.principal !== principal) throw new TypeError('a plan of another principal');
      return ledger.storePlan(plan, how);
    },
    newestPlan: async (of) => {
      const plan = await ledger.newestPlan(of);
      return plan?.principal === principal ? plan : undefined;
    },
    plan: async (planId) => {
      const plan = await ledger.plan(planId);
      return plan?.principal === principal ? plan : undefined;
    },
    principalOf: (planId) => ofOwn(planId, async () => principal, undefined),
    planRows: async (planId, decisions) => {
      const rows = await ledger.planRows(planId, decisions);
      return rows?.plan.principal === principal ? rows : undefined;
    },
    plans: (filter) => ledger.plans({ ...filter, principal }),
    signed: async (of) => {
      const rows = await ledger.signed(of);
      const own = await Promise.all(rows.map(({ row }) => owns(row.planId)));
      return rows.filter((_, index) => own[index]);
    },
    setMark: (planId, mark) => ofOwn(planId, () => ledger.setMark(planId, mark), undefined),
    clearMark: (planId, stageId) => ofOwn(planId, () => ledger.clearMark(planId, stageId), undefined),

    recordDecision: (input) => ledger.recordDecision({ ...input, principal }),
    decisions: (filter) => ledger.decisions({ ...filter, principal }),
    archivedPlans: async (filter) => onlyOwn(await ledger.archivedPlans(filter)),
    reserve: (request) => ledger.reserve({ ...request, decision: { ...request.decision, principal } }),
    journal: async (filter) => onlyOwn(await ledger.journal(filter)),
    openRows: async (filter) => onlyOwn(await ledger.openRows(filter)),
    moves: (filter) => ledger.moves({ ...filter, principal }),
    approvals: async (filter) => onlyOwn(await ledger.approvals(filter)),

    saveQuote: (requestId, quote, expiresAt) => ledger.saveQuote(quoteId(requestId), quote, expiresAt),
    quote: (requestId) => ledger.quote(quoteId(requestId)),
  };
}
