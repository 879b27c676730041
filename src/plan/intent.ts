/**
 * Intent keys. Equivalent requests have the same intent key, regardless of blockhash, quote id or plan id, so that a retry
 * after a timeout cannot launch or buy twice (T38).
 */

import { jsonDigest } from '../base/canonicalJson.ts';
import type { Address } from '../transaction/types.ts';
import type { PlanOperation } from './types.ts';

/** Request fields outside the intent: quote ids, and the claimable amounts of a joined claim. */
const NO_INTENT: readonly string[] = ['requestId', 'claims'];

/** Input of an intent key. */
export interface Intent {
  /** Genesis hash of the chain. */
  readonly network: string;
  readonly wallet: Address;
  /** Requester. Requests of different principals never share an intent. */
  readonly principal?: string;
  readonly operation: PlanOperation;
  /** The request as sent, with contract field names. */
  readonly request: Readonly<Record<string, unknown>>;
  /** The quote request of a swap: mints and amount. */
  readonly quoteRequest?: Readonly<Record<string, unknown>>;
}

/**
 * Returns the hex SHA-256 of network, wallet, principal, operation and the request without quote ids and claimable amounts.
 * `null` fields are equivalent to absent ones. A swap's key includes the request of its quote.
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

/** Returns the hex SHA-256 of a request without the fields outside the intent. */
export const requestDigest = (fields: Readonly<Record<string, unknown>>): string =>
  jsonDigest(statedFields(fields));

function statedFields(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).filter(([name, value]) => value != null && !NO_INTENT.includes(name)),
  );
}

/** Returns the service's quote id in the request of a swap; `undefined` for other plans. */
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
