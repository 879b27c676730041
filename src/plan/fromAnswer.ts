/**
 * From an endpoint's answer to a plan: the only way transactions enter this program. Pure; an answer that is not
 * exactly a plan for what was asked is refused as a whole.
 */

import { jsonDigest } from '../base/canonicalJson.ts';
import type { Address } from '../transaction/types.ts';
import type { WireEncoding } from '../transaction/wire.ts';
import { PlanError } from './errors.ts';
import { intentKey } from './intent.ts';
import { type Fields, object, withoutTransactions } from './readAnswer.ts';
import { mergeRebuilt, type PreviousPlan } from './rebuild.ts';
import { RECIPES, type Recipe } from './recipes.ts';
import type { Mode, Plan, PlanOperation, Stage } from './types.ts';

/** Everything a plan is made of. */
export interface PlanInput {
  /** Name in the endpoint table. */
  readonly endpoint: string;
  /** The request as sent, contract field names. */
  readonly request: Fields;
  /** The payload the service answered with (the envelope's `response`). */
  readonly answer: unknown;
  readonly mode: Mode;
  /** Genesis hash of the chain our own RPC is on. */
  readonly network: string;
  /** Our wallet, for requests that do not name one. */
  readonly wallet: Address;
  /** Who asks, where a server works for several principals. */
  readonly principal?: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Encoding of bare transaction strings at this endpoint, from the service profile. Plans say their own. */
  readonly encoding?: WireEncoding;
  /** The quote a swap was built from, as this home stored it. */
  readonly quote?: { readonly request: Fields; readonly expiresAt: number };
  /** Set when a plan is asked for again: it keeps its id and intent key. */
  readonly previous?: PreviousPlan;
}

/** What a request of this endpoint asks for. Throws `PlanError` for an endpoint that builds nothing. */
export function operationOf(endpoint: string, request: Fields): PlanOperation {
  const { operation } = recipe(endpoint);
  return typeof operation === 'function' ? operation(request) : operation;
}

/** The wallet of ours a request concerns: the one it names, else the given one. */
export function walletOf(endpoint: string, request: Fields, wallet: Address): Address {
  const named = request[recipe(endpoint).walletField];
  return typeof named === 'string' ? named : wallet;
}

/** The intent key a plan for this request will have, known before anything is asked of the service. */
export function intentOf(
  input: Pick<PlanInput, 'endpoint' | 'request' | 'network' | 'wallet' | 'principal' | 'quote'>,
): string {
  return intentKey({
    network: input.network,
    wallet: walletOf(input.endpoint, input.request, input.wallet),
    ...(input.principal === undefined ? {} : { principal: input.principal }),
    operation: operationOf(input.endpoint, input.request),
    request: input.request,
    ...(input.quote === undefined ? {} : { quoteRequest: input.quote.request }),
  });
}

/**
 * The plan of an answer; `null` when the answer says that nothing needs signing.
 * @throws PlanError `PLAN_INVALID`: duplicate ids, unknown dependencies, cycles, a bundle over five or with two
 * `LAUNCH`, an unknown type, kind, format, encoding or contract version, another operation, mint or flow than asked
 */
export function planFromAnswer(input: PlanInput): Plan | null {
  const { endpoint, request, mode, network, now, previous } = input;
  const operation = operationOf(endpoint, request);
  const read = recipe(endpoint).read({
    answer: input.answer,
    request,
    encoding: input.encoding ?? 'base64',
  });
  if (read === null) return null;

  const intent = intentOf(input);
  if (previous !== undefined && previous.plan.intentKey !== intent) {
    throw new PlanError('The plan was rebuilt for another request.');
  }
  const stages = ordered(previous === undefined ? read.stages : mergeRebuilt(previous, read.stages));
  const createdAt = previous?.plan.createdAt ?? now;
  return {
    planId: previous?.plan.planId ?? newPlanId(intent, now, stages),
    revision: previous === undefined ? 0 : previous.plan.revision + 1,
    operation,
    mode,
    network,
    wallet: walletOf(endpoint, request, input.wallet),
    ...(input.principal === undefined ? {} : { principal: input.principal }),
    intentKey: intent,
    request: { endpoint, fields: request, digest: jsonDigest(request) },
    answer: answerFields(input.answer),
    stages,
    ...(read.readiness === undefined ? {} : { readiness: read.readiness }),
    createdAt,
    ...(input.quote === undefined ? {} : { expiresAt: input.quote.expiresAt }),
  };
}

/** A bare transaction string has no other fields to keep. */
const answerFields = (answer: unknown): Fields =>
  typeof answer === 'string' ? {} : withoutTransactions(object(answer, 'payload'));

/** Derives the plan's id from its content, so that the same answer read twice in one millisecond is one plan. */
function newPlanId(intent: string, now: number, stages: Plan['stages']): string {
  return `plan-${jsonDigest([intent, now, stages]).slice(0, 20)}`;
}

function recipe(endpoint: string): Recipe {
  const found = Object.hasOwn(RECIPES, endpoint) ? RECIPES[endpoint] : undefined;
  if (found === undefined)
    throw new PlanError('This endpoint does not answer with transactions.', 'upstream');
  return found;
}

/**
 * Stages in an order in which each follows what it depends on; stages that are free keep their given order.
 * `landed` are ids outside this list that may be depended on (stages of an earlier revision that landed).
 * Throws `PlanError` for a duplicate id, an unknown dependency or a cycle: no stage of such a plan may be signed (F22).
 */
function ordered<T extends Pick<Stage, 'id' | 'dependsOn'>>(
  stages: readonly T[],
  landed: ReadonlySet<string> = new Set(),
): T[] {
  const ids = new Set<string>();
  for (const { id } of stages) {
    if (ids.has(id)) throw new PlanError('Two stages of the plan have the same id.');
    ids.add(id);
  }
  for (const { dependsOn } of stages) {
    if (dependsOn.some((id) => !ids.has(id) && !landed.has(id))) {
      throw new PlanError('A stage of the plan depends on a stage that does not exist.');
    }
  }
  const done = new Set(landed);
  for (const id of ids) done.delete(id);
  const result: T[] = [];
  let rest = [...stages];
  while (rest.length > 0) {
    const next = rest.find((stage) => stage.dependsOn.every((id) => done.has(id)));
    if (next === undefined) throw new PlanError('The stages of the plan depend on each other in a circle.');
    done.add(next.id);
    result.push(next);
    rest = rest.filter((stage) => stage !== next);
  }
  return result;
}
