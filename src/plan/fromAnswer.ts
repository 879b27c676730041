/**
 * Converts an endpoint's answer into a plan, the only source of transactions. Pure. An answer that does not match the
 * request is refused as a whole.
 */

import { jsonDigest } from '../base/canonicalJson.ts';
import type { Address } from '../transaction/types.ts';
import type { WireEncoding } from '../transaction/wire.ts';
import { intentKey } from './intent.ts';
import { type Fields, object, PlanError, withoutTransactions } from './readAnswer.ts';
import { mergeRebuilt, type PreviousPlan } from './rebuild.ts';
import { RECIPES, type Recipe } from './recipes.ts';
import type { Mode, Plan, PlanOperation, Stage } from './types.ts';

/** Input of a plan. */
export interface PlanInput {
  /** Name in the endpoint table. */
  readonly endpoint: string;
  /** The request as sent, contract field names. */
  readonly request: Fields;
  /** Payload of the answer (the envelope's `response`). */
  readonly answer: unknown;
  readonly mode: Mode;
  /** Genesis hash of our RPC's chain. */
  readonly network: string;
  /** Wallet for requests that do not name one. */
  readonly wallet: Address;
  /** Requester, if the server has several principals. */
  readonly principal?: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Encoding of bare transaction strings at this endpoint, from the service profile. Plans declare their own. */
  readonly encoding?: WireEncoding;
  /** The stored quote of a swap. */
  readonly quote?: { readonly request: Fields; readonly expiresAt: number };
  /** Set for a rebuild, which keeps the plan's id and intent key. */
  readonly previous?: PreviousPlan;
}

/** Returns the operation of a request. Throws `PlanError` for an endpoint without transactions. */
export function operationOf(endpoint: string, request: Fields): PlanOperation {
  const { operation } = recipe(endpoint);
  return typeof operation === 'function' ? operation(request) : operation;
}

/** Returns the wallet that a request names, else the given one. */
export function walletOf(endpoint: string, request: Fields, wallet: Address): Address {
  const named = request[recipe(endpoint).walletField];
  return typeof named === 'string' ? named : wallet;
}

/** Returns the intent key of a request, before it is sent. */
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
 * Returns the plan of an answer, or `null` if nothing needs signing.
 * @throws PlanError `PLAN_INVALID`: duplicate ids, unknown dependencies, cycles, a bundle with more than five transactions
 * or two `LAUNCH`, an unknown type, kind, format, encoding or contract version, another operation, mint or flow than requested
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

/** Returns the fields of an answer without transactions; empty for a bare transaction string. */
const answerFields = (answer: unknown): Fields =>
  typeof answer === 'string' ? {} : withoutTransactions(object(answer, 'payload'));

/** Derives the plan's id from its content, so that reading an answer twice in one millisecond gives one plan. */
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
 * Sorts stages topologically; independent stages keep their order. `landed`: ids of landed stages of earlier revisions, which
 * may be dependencies. Throws `PlanError` for a duplicate id, an unknown dependency or a cycle (F22).
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
    if (next === undefined) throw new PlanError('The stages of the plan have a dependency cycle.');
    done.add(next.id);
    result.push(next);
    rest = rest.filter((stage) => stage !== next);
  }
  return result;
}
