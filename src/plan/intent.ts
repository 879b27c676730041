/**
 * What the caller asked for, apart from how the service happened to build it. Two requests that would do the same
 * thing share an intent key, whatever blockhash, quote id or plan id they carry, so that a timeout never leads
 * to a second launch or a second buy (T38).
 */

import { jsonDigest } from '../base/canonicalJson.ts';
import type { Address } from '../transaction/types.ts';
import type { PlanOperation } from './types.ts';

/** Request fields that are no intent: the id of a quote, and what happened to be claimable when everything was claimed. */
const NO_INTENT: readonly string[] = ['requestId', 'claims'];

/** What an intent key is made of. */
export interface Intent {
  /** Genesis hash of the chain. */
  readonly network: string;
  readonly wallet: Address;
  /** Who asks: what two principals ask for is never one intent. */
  readonly principal?: string;
  readonly operation: PlanOperation;
  /** Contract field names, as sent. */
  readonly request: Readonly<Record<string, unknown>>;
  /** The request of the stored quote a swap is bound to: what is traded for what, and how much. */
  readonly quoteRequest?: Readonly<Record<string, unknown>>;
}

/**
 * Hex SHA-256 of network, wallet, principal, operation and the request without quote ids and without what was claimable. Absent and `null` fields mean
 * the same and are both left out. A swap's intent is in its quote, so the quote's own request takes part.
 */
export function intentKey(intent: Intent): string {
  return jsonDigest({
    network: intent.network,
    wallet: intent.wallet,
    ...(intent.principal === undefined ? {} : { principal: intent.principal }),
    operation: intent.operation,
    request: statedFields(intent.request),
    ...(intent.quoteRequest === undefined ? {} : { quote: statedFields(intent.quoteRequest) }),
  });
}

/** Hex SHA-256 of a request without what the intent leaves out. */
export const requestDigest = (fields: Readonly<Record<string, unknown>>): string =>
  jsonDigest(statedFields(fields));

function statedFields(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).filter(([name, value]) => value != null && !NO_INTENT.includes(name)),
  );
}

/** The service's id of the quote a plan trades, by the request it was built from; `undefined` for every other plan. */
export function quoteIdOf({
  endpoint,
  request,
}: {
  readonly endpoint: string;
  readonly request: Readonly<Record<string, unknown>>;
}): string | undefined {
  const { requestId } = request;
  return endpoint === 'tradeSwap' && typeof requestId === 'string' ? requestId : undefined;
}
