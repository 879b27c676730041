/**
 * Turns an endpoint's answer into a stored, previewed plan. A repeated intent reuses its plan: one in flight is
 * returned, an unfinished one is rebuilt under its own id, and a complete one is reported while a new run begins.
 * Processes that build one intent concurrently get one plan.
 */

import type { BuiltOn } from '../ledger/types.ts';
import { intentOf, planFromAnswer, walletOf } from '../plan/fromAnswer.ts';
import { configNote, requestedConfig } from '../plan/notes.ts';
import { PlanError } from '../plan/readAnswer.ts';
import type { Plan } from '../plan/types.ts';
import type { Address } from '../transaction/types.ts';
import { storedQuote } from './deciding/quotes.ts';
import type { ExecutionDeps } from './ports.ts';
import type { Previews } from './preview.ts';
import { existingConfig } from './readback/existing.ts';
import { complete } from './readback/findings.ts';
import { effectOf, requireToken } from './readback/readback.ts';
import { recheckExpired } from './readback/recheckExpired.ts';
import { CANCELLED } from './sending/cancelled.ts';
import {
  allRequiredLanded,
  isInFlight,
  isOnChain,
  landedStages,
  type PlanSnapshot,
  planStatus,
  readNewest,
  readSnapshot,
  snapshotOf,
} from './status.ts';

export interface Opened {
  /** `undefined` when nothing needs signing. */
  readonly plan?: Plan;
  /** The completed plan of the same intent. */
  readonly repeats?: string;
  readonly note?: string;
}

/** The chain and the newest plan of an intent before the service was asked. */
export interface Begun {
  readonly network?: string;
  readonly newest?: BuiltOn;
}

/** Options of opening an answer. */
export interface Opening {
  /** State before the service was asked. Defaults to the current state. */
  readonly begun?: Begun;
  /** Begin a new run although the earlier one is not complete. */
  readonly again?: boolean;
  /** Whether this process is executing a plan now. */
  isRunning(planId: string): boolean;
  readonly previews: Previews;
}

interface Earlier extends PlanSnapshot {
  readonly status: ReturnType<typeof planStatus>;
}

export type Request = Readonly<Record<string, unknown>>;

/** Finds earlier plans of the intent before the service is asked, so that `open` detects plans stored meanwhile. */
export async function beginPlan(deps: ExecutionDeps, endpoint: string, request: Request): Promise<Begun> {
  const about = await aboutOf(deps, endpoint, request);
  const earlier = await earlierPlan(deps, intentOf(about));
  return { network: about.network, ...(earlier === undefined ? {} : { newest: builtOn(earlier) }) };
}

/**
 * Stores and previews the plan of an answer. Rejects with `PlanError` if the answer is not a valid plan for the
 * request.
 */
export async function openPlan(
  deps: ExecutionDeps,
  endpoint: string,
  request: Request,
  answer: unknown,
  { begun, again = false, isRunning, previews }: Opening,
): Promise<Opened> {
  const { ledger, mode } = deps;
  const about = await aboutOf(deps, endpoint, request, begun?.network);
  const intentKey = intentOf(about);
  const found = await earlierPlan(deps, intentKey);
  // Before building anything new, signatures considered expired are rechecked.
  const revived =
    found?.rows.some(({ state }) => state === 'expired') === true &&
    isUnfinished(found) &&
    (await recheckExpired(deps, found.plan, await ledger.rows('signed', { intentKey }))).landed.length > 0;
  const earlier = revived ? await earlierPlan(deps, intentKey) : found;
  if (revived && earlier !== undefined && allRequiredLanded(earlier.states)) {
    await ledger.setPlanNote(earlier.plan.planId, {});
    return {
      plan: earlier.plan,
      note: 'An earlier signature of this intent has landed: its plan is returned; no new plan was built.',
    };
  }
  const busy =
    earlier?.states.some(({ status }) => isInFlight(status)) || isRunning(earlier?.plan.planId ?? '');
  if (earlier !== undefined && busy) {
    return {
      plan: earlier.plan,
      note: 'This intent is already in flight: its plan is returned; no new plan was built.',
    };
  }
  if (earlier !== undefined && begun !== undefined && !isSame(begun.newest, builtOn(earlier))) {
    return shared(previews, earlier);
  }
  const unfinished = earlier !== undefined && isUnfinished(earlier) && !(again && isSpent(earlier));
  const plan = planFromAnswer({
    ...about,
    answer,
    mode,
    now: await ledger.time(),
    encoding: deps.encodingOf(endpoint),
    ...(unfinished ? { previous: { plan: earlier.plan, landed: landedStages(earlier.states) } } : {}),
  });
  const done = earlier?.status === 'complete' ? earlier.plan : undefined;
  if (plan === null) return { note: await nothingToSignMessage(deps, { ...about, answer }, earlier, done) };
  if (earlier !== undefined && earlier.status !== 'complete' && !unfinished && !again) {
    const { code } = earlier.planNote ?? {};
    return { plan: earlier.plan, note: code === CANCELLED.code ? CANCELLED_BEFORE : FAILED_BEFORE };
  }
  await requireToken(deps, plan);
  const on = earlier === undefined ? {} : { on: builtOn(earlier) };
  if (!(await ledger.storePlan(plan, { ...on, again })).stored) {
    return shared(previews, await earlierPlan(deps, intentKey));
  }
  const { baseMint } = request;
  if (endpoint === 'feeShareConfig' && typeof baseMint === 'string') {
    const requested = requestedConfig(request, plan.answer);
    await ledger.setNote(configNote(baseMint, deps.principal), JSON.stringify(requested));
  }
  if (unfinished) await ledger.setPlanNote(plan.planId, {});
  const stored = unfinished ? await readSnapshot(ledger, plan.planId) : snapshotOf(unsigned(plan));
  if (stored !== undefined) await previews.look(stored);
  return { plan, ...(done === undefined ? {} : { repeats: done.planId }) };
}

/** Returns the rows of a newly stored plan. */
const unsigned = (plan: Plan) => ({
  plan,
  rows: [],
  planNotes: [],
  decisions: [],
  approvals: [],
  cancelled: false,
});

const FAILED_BEFORE =
  'A stage of this plan failed on chain, and nothing new was built. To try once more, build it with again: true.';

const CANCELLED_BEFORE =
  'This was cancelled, and nothing new was built. To do it after all, build it with again: true.';

/** Returns the plan that was stored first when an intent was built concurrently. */
async function shared(previews: Previews, first: Earlier | undefined): Promise<Opened> {
  if (first === undefined) throw new PlanError('The plan of this intent is no longer in the ledger.');
  const { plan, states, status } = first;
  if (status !== 'complete' && !states.some((state) => isInFlight(state.status))) {
    await previews.look(first);
  }
  return {
    plan,
    note: 'Another process built or executed this intent at the same time: its plan is returned; no new plan was built.',
  };
}

const builtOn = ({ plan: { planId, revision }, status }: Earlier): BuiltOn => ({
  planId,
  revision,
  complete: status === 'complete',
});

const isSame = (a: BuiltOn | undefined, b: BuiltOn): boolean =>
  a?.planId === b.planId && a.revision === b.revision && a.complete === b.complete;

/** Returns whether a plan has a transaction on chain: only then can it be repeated. */
const isSpent = ({ states }: Earlier): boolean => states.some(({ status }) => isOnChain(status));

/** Returns the values that identify an intent in this home. */
async function aboutOf(deps: ExecutionDeps, endpoint: string, request: Request, known?: string) {
  const network = known ?? (await deps.chain.genesisHash());
  const wallet = walletOf(endpoint, request, '') || ((await deps.wallets.addresses())[0] ?? '');
  const { principal } = deps;
  const quote = await storedQuote(deps.ledger, { principal, request: { endpoint, fields: request } });
  return {
    endpoint,
    request,
    network,
    wallet,
    ...(principal === undefined ? {} : { principal }),
    ...(quote === undefined ? {} : { quote }),
  };
}

/**
 * Returns whether a plan can be continued. A swap whose quote expired continues under its own id with the next quote;
 * one that failed on chain does not.
 */
const isUnfinished = ({ status, planNote }: Earlier): boolean =>
  status === 'failed' ? planNote?.code === 'QUOTE_EXPIRED' : status !== 'complete';

/** Returns the newest plan of the same intent in this mode. */
async function earlierPlan({ ledger, mode }: ExecutionDeps, intentKey: string): Promise<Earlier | undefined> {
  const snapshot = await readNewest(ledger, { intentKey, mode });
  return snapshot && { ...snapshot, status: planStatus(snapshot) };
}

interface Nothing {
  readonly endpoint: string;
  readonly request: Readonly<Record<string, unknown>>;
  readonly answer: unknown;
  readonly wallet: Address;
}

/** Returns the message for an answer that contains nothing to sign. */
async function nothingToSignMessage(
  deps: ExecutionDeps,
  about: Nothing,
  earlier: Earlier | undefined,
  done: { readonly planId: string } | undefined,
): Promise<string> {
  if (about.endpoint !== 'feeShareConfig') return 'The service says that nothing needs signing.';
  const landed = (planId: string) => `The config exists; plan ${planId} of this home created it.`;
  if (done !== undefined) return landed(done.planId);
  if (earlier?.states.some(({ row }) => row !== undefined)) {
    const effect = await effectOf(deps, earlier.plan, earlier.states);
    if (effect.seen) {
      await deps.ledger.setPlanNote(earlier.plan.planId, complete(effect));
      return landed(earlier.plan.planId);
    }
  }
  return existingConfig(deps, about);
}
