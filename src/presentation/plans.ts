/**
 * Implements the plan port on the execution layer: performs the action, then returns the plan as shown in results.
 */
import { asRecord } from '../base/record.ts';
import { wholeRequest } from '../builders/builders.ts';
import { joinedClaims } from '../execution/claims.ts';
import type { Decided } from '../execution/deciding/decide.ts';
import { readQuote } from '../execution/deciding/quotes.ts';
import { ExecutionError } from '../execution/errors.ts';
import type { Execution } from '../execution/execution.ts';
import type { Opened } from '../execution/open.ts';
import type { ExecutionDeps } from '../execution/ports.ts';
import { isLanded, type PlanSnapshot } from '../execution/status.ts';
import { frozenFor } from '../ledger/frozen.ts';
import { CLAIM_ALL } from '../plan/claimAll.ts';
import { tokenNote } from '../plan/notes.ts';
import type { Plan } from '../plan/types.ts';
import { periodOf } from './history/period.ts';
import { createFactsReader, type FactsReader } from './planFacts.ts';
import type { PlanPort, PlanView } from './planPort.ts';
import { approvedInAdvance, nextOfQuestion, questionOf } from './question.ts';
import type { ShownStatus } from './statusWords.ts';
import { planView } from './view.ts';

const MAX_LISTED = 100;

/** The plan port with the server's stop functions. */
export interface Plans extends PlanPort, Pick<Execution, 'stop' | 'idle'> {}

/** Dependencies of showing plans. */
interface Desk {
  readonly deps: ExecutionDeps;
  readonly execution: Execution;
  readonly facts: FactsReader;
}

export function createPlans(deps: ExecutionDeps, execution: Execution): Plans {
  const desk: Desk = { deps, execution, facts: createFactsReader(deps) };
  const { ledger } = deps;
  return {
    begin: (endpoint, request) => execution.begin(endpoint, { ...request }),

    open: async (endpoint, request, answer, how) =>
      opened(desk, await execution.open(endpoint, { ...request }, answer, how)),

    beginClaims: (wallet) => execution.begin(CLAIM_ALL, { wallet }),

    openClaims: async (wallet, claims, how) => {
      const { endpoint, request, answer } = joinedClaims(deps, wallet, claims);
      return opened(desk, await execution.open(endpoint, request, answer, how));
    },

    build: async (plan, request, again) => {
      const fields = await wholeRequest(deps, plan, request);
      const begun = await execution.begin(plan, fields);
      const answer = await deps.service.call(plan, fields);
      const how = again === undefined ? { begun } : { begun, again };
      return opened(desk, await execution.open(plan, fields, answer, how));
    },

    review: async (planId) => show(desk, planId, { fresh: await execution.review(planId) }),

    submit: async (planId, waitSeconds, progress, signal) => {
      await execution.submit(planId, waitSeconds, progress, signal);
      return show(desk, planId);
    },

    get: (planId) => show(desk, planId),

    stated: async (planId) => statedIn((await execution.snapshot(planId)).plan),

    list: async ({ limit, offset }) => {
      const plans = await ledger.rows('plans', { limit: Math.min(limit, MAX_LISTED), offset });
      return Promise.all(plans.map(({ planId }) => show(desk, planId, { brief: true })));
    },

    count: () => ledger.count('plans', {}),

    activity: (of) => periodOf(deps, desk.facts, of),

    cancel: async (planId) => {
      await execution.cancel(planId);
      return show(desk, planId);
    },

    stageBytes: async (planId, stageId) => {
      const stage = (await execution.snapshot(planId)).plan.stages.find(({ id }) => id === stageId);
      if (stage === undefined) throw new ExecutionError('NOT_FOUND', 'The plan has no stage with this id.');
      return stage.transaction.text;
    },

    rememberQuote: (requestId, request, quote) => execution.rememberQuote(requestId, request, quote),

    quoted: async (requestId) => asRecord((await readQuote(ledger, requestId, deps.principal))?.quote),

    rememberToken: async (mint, { name, symbol }) => {
      await ledger.setNote(tokenNote(mint, deps.principal), JSON.stringify({ name, symbol }));
    },

    stop: () => execution.stop(),
    idle: () => execution.idle(),
  };
}

/** Informational fields of an answer, its plan and its stages that results do not show otherwise. */
const STATED = [
  'contractVersion',
  'asset',
  'feeLimits',
  'computeUnitLimit',
  'prioritizationFeeLamports',
  'lastValidBlockHeight',
  'revenueLamports',
];
const STATED_OF_STAGES = ['id', 'encoding', 'lifetime', 'budget'];

function statedIn({ answer }: Plan): Record<string, unknown> {
  const fields = { ...answer, ...asRecord(answer.plan) };
  const of = (row: unknown, names: readonly string[]) =>
    Object.fromEntries(Object.entries(asRecord(row)).filter(([name]) => names.includes(name)));
  const { transactions } = fields;
  return {
    ...of(fields, STATED),
    ...(Array.isArray(transactions)
      ? { stages: transactions.map((stage) => of(stage, STATED_OF_STAGES)) }
      : {}),
  };
}

/** Returns the result of opening an answer. */
async function opened(
  desk: Desk,
  { plan, note, repeats }: Opened,
): Promise<{ plan: PlanView | null; note?: string }> {
  const noted = note === undefined ? {} : { note };
  return { plan: plan === undefined ? null : await show(desk, plan.planId, { repeats }), ...noted };
}

interface Showing {
  readonly repeats?: string | undefined;
  /** Decisions just made; they precede the stored ones. */
  readonly fresh?: readonly Decided[];
  /** Returns one summary line without asking the chain. */
  readonly brief?: boolean;
}

/** Returns the number of signatures that have not landed yet, and the time of the first. */
function attemptsOf(status: ShownStatus, { rows, states }: PlanSnapshot): Pick<PlanView, 'attempts'> {
  if (status !== 'running' && status !== 'unknown') return {};
  const landed = states.flatMap(({ stage, status: each }) => (isLanded(each) ? [stage.id] : []));
  const open = rows.filter(({ stageId }) => !landed.includes(stageId));
  if (open.length === 0) return {};
  const since = Math.min(...open.map(({ createdAt }) => createdAt));
  return { attempts: { signed: open.length, since: new Date(since).toISOString() } };
}

/** Returns a plan as shown in results. */
async function show(
  { deps, execution, facts }: Desk,
  planId: string,
  { repeats, fresh = [], brief = false }: Showing = {},
): Promise<PlanView> {
  const snapshot = await execution.snapshot(planId);
  const frozen = (await frozenFor(deps.ledger, deps.principal)) !== undefined;
  const made = fresh.map(({ stage, decision }) => ({ stageId: stage.id, decision }));
  const decided = { ...snapshot, decisions: [...made, ...snapshot.decisions] };
  const view = planView(decided, {
    running: execution.isRunning(planId),
    frozen,
    now: await deps.ledger.time(),
    ...(repeats === undefined ? {} : { repeats }),
  });
  const question = await questionOf(deps, view, snapshot.approvals);
  const approval = question ?? approvedInAdvance(snapshot.approvals);
  return {
    ...view,
    ...attemptsOf(view.status, snapshot),
    ...(question === undefined || frozen ? {} : { next: nextOfQuestion(question) }),
    ...(approval === undefined || brief ? {} : { approval }),
    ...(await (brief ? facts.brief(decided) : facts.of(decided))),
  };
}
