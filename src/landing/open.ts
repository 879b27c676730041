/**
 * From an endpoint's answer to a stored, previewed plan. The same wish asked for again meets its own plan: one that
 * is in flight is returned, one that is unfinished is rebuilt under its own id, one that is complete is named.
 */

import type { Mark } from '../ledger/types.ts';
import { intentOf, planFromAnswer, walletOf } from '../plan/fromAnswer.ts';
import type { Plan } from '../plan/types.ts';
import { storedQuote } from './decide.ts';
import type { LandingDeps } from './ports.ts';
import { preview } from './preview.ts';
import { effectSeen, requireToken } from './readback.ts';
import { isInFlight, isLanded, planStatus, type StageState, stageStates } from './status.ts';

export interface Opened {
  /** `undefined` when nothing needs signing. */
  readonly plan?: Plan;
  /** The completed plan of the same wish. */
  readonly repeats?: string;
  readonly note?: string;
}

interface Earlier {
  readonly plan: Plan;
  readonly mark?: Mark;
  readonly states: readonly StageState[];
  readonly status: ReturnType<typeof planStatus>;
}

/** Stores and previews the plan of an answer. Rejects with `PlanError` for an answer that is no plan for the request. */
export async function openPlan(
  deps: LandingDeps,
  endpoint: string,
  request: Readonly<Record<string, unknown>>,
  answer: unknown,
  isRunning: (planId: string) => boolean,
): Promise<Opened> {
  const { ledger, mode } = deps;
  const network = await deps.chain.genesisHash();
  const [own = ''] = await deps.wallets.addresses();
  const wallet = walletOf(endpoint, request, own);
  const quote = await storedQuote(ledger, endpoint, request);
  const about = { endpoint, request, network, wallet, ...(quote === undefined ? {} : { quote }) };
  const earlier = await earlierPlan(deps, intentOf(about));
  const busy =
    earlier?.states.some(({ status }) => isInFlight(status)) || isRunning(earlier?.plan.planId ?? '');
  if (earlier !== undefined && busy) {
    return {
      plan: earlier.plan,
      note: 'This wish is already in flight: its plan is returned, nothing new was built.',
    };
  }
  const unfinished = earlier !== undefined && isUnfinished(earlier);
  const plan = planFromAnswer({
    ...about,
    answer,
    mode,
    now: await ledger.time(),
    encoding: deps.encodingOf(endpoint),
    ...(unfinished ? { previous: { plan: earlier.plan, landed: landedOf(earlier.states) } } : {}),
  });
  if (plan === null) return { note: await nothingToSign(deps, endpoint, answer, earlier) };
  await requireToken(deps, plan);
  await ledger.savePlan(plan);
  if (unfinished) await ledger.clearMark(plan.planId);
  await preview(deps, plan, stageStates(plan, await ledger.journal({ planId: plan.planId }), []));
  return { plan, ...(earlier?.status === 'complete' ? { repeats: earlier.plan.planId } : {}) };
}

/** A swap whose quote lapsed goes on under its own id with the next quote; what failed on chain does not. */
const isUnfinished = ({ status, mark }: Earlier): boolean =>
  status === 'failed' ? mark?.code === 'QUOTE_EXPIRED' : status !== 'complete';

const landedOf = (states: readonly StageState[]): Set<string> =>
  new Set(states.filter(({ status }) => isLanded(status)).map(({ stage }) => stage.id));

/** The newest plan of the same wish in this mode. */
async function earlierPlan({ ledger, mode }: LandingDeps, intentKey: string): Promise<Earlier | undefined> {
  const plan = (await ledger.plans({ intentKey, limit: 10 })).find((known) => known.mode === mode);
  if (plan === undefined) return undefined;
  const marks = await ledger.marks(plan.planId);
  const states = stageStates(plan, await ledger.journal({ planId: plan.planId }), marks);
  const mark = marks.find((known) => known.stageId === undefined);
  return { plan, states, status: planStatus(plan, states, mark, false), ...(mark ? { mark } : {}) };
}

/** What can be said when the service says that nothing needs signing. */
async function nothingToSign(
  deps: LandingDeps,
  endpoint: string,
  answer: unknown,
  earlier: Earlier | undefined,
): Promise<string> {
  if (endpoint !== 'feeShareConfig') return 'The service says that nothing needs signing.';
  if (earlier?.status === 'complete')
    return `The config exists; plan ${earlier.plan.planId} of this home landed it.`;
  const account =
    typeof answer === 'object' && answer !== null && 'feeShareConfig' in answer ? answer.feeShareConfig : '';
  if (earlier !== undefined && (await effectSeen(deps, earlier.plan, earlier.states))) {
    await deps.ledger.setMark(earlier.plan.planId, { status: 'complete' });
    return `The config exists; plan ${earlier.plan.planId} of this home landed it.`;
  }
  const exists = typeof account === 'string' && account !== '' && (await existsOnChain(deps, account));
  return exists
    ? 'The config exists on chain, but this home did not land it: its split was not verified.'
    : 'The service says that the config exists, but our own RPC does not show it: its split was not verified.';
}

async function existsOnChain({ chain }: LandingDeps, account: string): Promise<boolean> {
  try {
    return (await chain.accounts([account], 'confirmed')).value.every(({ exists }) => exists);
  } catch {
    return false;
  }
}
