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
  const owns = async (planId: string): Promise<boolean> => (await ledger.principalOf(planId)) === principal;
  /** Reads of one plan: empty where it is another's. */
  const ofOwn = async <T>(planId: string, read: () => Promise<T>, none: T): Promise<T> =>
    (await owns(planId)) ? read() : none;
  const onlyOwn = async <T extends { readonly planId: string }>(rows: readonly T[]): Promise<T[]> => {
    const own = await Promise.all(rows.map(({ planId }) => owns(planId)));
    return rows.filter((_, index) => own[index]);
  };
  const ownsApproval = async (id: string): Promise<boolean> =>
    (await onlyOwn(await ledger.approvals({ id }))).length > 0;
  /** The service chooses the ids of quotes, so two principals may be given one. */
  const quoteId = (requestId: string): string => JSON.stringify([principal, requestId]);

  return {
    storePlan: (plan, how) => {
      if (plan.principal !== principal) throw new TypeError('a plan of another principal');
      return ledger.storePlan(plan, how);
    },
    newestPlan: async (of) => {
      const plan = await ledger.newestPlan(of);
      return plan?.principal === principal ? plan : undefined;
    },
    // As a reservation sees it: a signature that forbids a second one forbids it to every principal.
    view: async (of) => {
      const { signed, ...view } = await ledger.view(of);
      const own = await Promise.all(signed.map(({ row }) => owns(row.planId)));
      return { ...view, signed: signed.filter((_, index) => own[index]) };
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
    setPlanNote: (planId, planNote) => ofOwn(planId, () => ledger.setPlanNote(planId, planNote), undefined),
    clearPlanNote: (planId, stageId) => ofOwn(planId, () => ledger.clearPlanNote(planId, stageId), undefined),
    time: () => ledger.time(),

    recordDecision: (input) => ledger.recordDecision({ ...input, principal }),
    decisions: (filter) => ledger.decisions({ ...filter, principal }),
    countPlans: (filter) => ledger.countPlans({ ...filter, principal }),
    countDecisions: (filter) => ledger.countDecisions({ ...filter, principal }),
    decisionInputs: async (id) => {
      const before = Number(/^decision-(\d+)$/.exec(id)?.[1] ?? 0) + 1;
      const [record] = await ledger.decisions({ principal, before, limit: 1 });
      return record?.id === id ? ledger.decisionInputs(id) : undefined;
    },
    verifyDecisions: () => Promise.reject(ofTheHome()),
    chains: () => Promise.reject(ofTheHome()),
    chainRows: () => Promise.reject(ofTheHome()),

    // A wallet's, shared by all who use the wallet.
    acquireLease: (wallet, holder, ttlMs) => ledger.acquireLease(wallet, holder, ttlMs),
    renewLease: (lease, ttlMs) => ledger.renewLease(lease, ttlMs),
    releaseLease: (lease) => ledger.releaseLease(lease),
    used: (limits, wallet, network, planId) => ledger.used(limits, wallet, network, planId),
    taken: (limit, wallet, network) => ledger.taken(limit, wallet, network),
    takeOver: (lease, on) => ledger.takeOver(lease, on),
    // What is open of a wallet is followed by the principal that works with it next: the principal that signed may never come back.
    openRows: async (filter) =>
      filter.wallet === undefined ? onlyOwn(await ledger.openRows(filter)) : ledger.openRows(filter),

    reserve: (request) => ledger.reserve({ ...request, decision: { ...request.decision, principal } }),
    // By a reservation, a lease or a signature, which come from this part.
    journalSigned: (lease, reservationId, row) => ledger.journalSigned(lease, reservationId, row),
    journalMove: (signature, state, change) => ledger.journalMove(signature, state, change),
    settle: (signature, actual, moves) => ledger.settle(signature, actual, moves),
    release: (by) => ledger.release(by),
    journal: async (filter) => onlyOwn(await ledger.journal(filter)),
    moves: (filter) => ledger.moves({ ...filter, principal }),

    askApproval: async (row) => {
      if (!(await owns(row.planId))) throw new TypeError('a question about a plan of another principal');
      return ledger.askApproval(row);
    },
    answerApproval: async (id, answer) => {
      if (!(await ownsApproval(id))) throw new TypeError('a question of another principal');
      return ledger.answerApproval(id, answer);
    },
    approvals: async (filter) => onlyOwn(await ledger.approvals(filter)),
    signedStages: (planId) => ofOwn(planId, () => ledger.signedStages(planId), []),

    // What denials freeze is this principal's own; what a person froze is frozen here too, and only a person lifts either.
    freeze: (reason) => ledger.freeze(reason, principal),
    unfreeze: () => Promise.reject(ofTheHome()),
    frozen: async () => (await ledger.frozen()) ?? ledger.frozen(principal),
    freezes: async () =>
      (await ledger.freezes()).filter((each) => each.principal === undefined || each.principal === principal),
    securityDenials: (since) => ledger.securityDenials(since, principal),

    saveQuote: (requestId, quote, expiresAt) => ledger.saveQuote(quoteId(requestId), quote, expiresAt),
    quote: (requestId) => ledger.quote(quoteId(requestId)),

    // Of the home: what the service may be asked, what is noted of tokens and acceptances, whether the ledger can be written.
    leaseRequests: (origin, want, perHour) => ledger.leaseRequests(origin, want, perHour),
    note: (key) => ledger.note(key),
    setNote: (key, value) => ledger.setNote(key, value),
    ...(ledger.wakes === undefined ? {} : { wakes: ledger.wakes }),
    probe: () => ledger.probe(),
    // Other parts go on with it.
    close: async () => undefined,
  };
}

const ofTheHome = (): TypeError => new TypeError('only the home as a whole can do this');
