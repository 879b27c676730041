/** Builds the plans that no service is asked for, and asks the service for all others. */

import { PlanError } from '../../plan/errors.ts';
import { isOwnPlan, type OwnPlan } from '../../plan/own.ts';
import type { LandingDeps } from '../ports.ts';
import { buildReclaim, closableTable, type ReclaimRequest } from './reclaim.ts';
import { buildSend, type SendRequest } from './send.ts';

/** The request of each plan that is built here. */
export interface OwnRequests {
  readonly send: SendRequest;
  /** Without a table: any of this home that can be closed. */
  readonly reclaimRent: Pick<ReclaimRequest, 'wallet'> & Partial<ReclaimRequest>;
}

type Fields = Readonly<Record<string, unknown>>;

/** A request with everything in it that its plan is about. Rejects as its builder does. */
export async function wholeRequest(
  deps: Pick<LandingDeps, 'ledger' | 'chain'>,
  plan: OwnPlan,
  { ...request }: OwnRequests[OwnPlan],
): Promise<Fields> {
  if (plan === 'send' || 'lookupTable' in request) return request;
  return { ...request, lookupTable: await closableTable(deps, request.wallet) };
}

/** The answer for a plan: built here, or the service's. Rejects as either does. */
export function answerFor(
  { chain, service }: Pick<LandingDeps, 'chain' | 'service'>,
  endpoint: string,
  fields: Fields,
): Promise<unknown> {
  return isOwnPlan(endpoint) ? built(chain, endpoint, fields) : service.call(endpoint, fields);
}

function built(chain: LandingDeps['chain'], plan: OwnPlan, fields: Fields): Promise<unknown> {
  const text = (name: string): string => {
    const value = fields[name];
    if (typeof value !== 'string') throw new PlanError('A stored request lacks a part.');
    return value;
  };
  if (plan === 'reclaimRent') {
    return buildReclaim(chain, { wallet: text('wallet'), lookupTable: text('lookupTable') });
  }
  return buildSend(chain, {
    wallet: text('wallet'),
    to: text('to'),
    amountRaw: text('amountRaw'),
    ...(fields.tokenMint == null ? {} : { tokenMint: text('tokenMint') }),
    ...(fields.memo == null ? {} : { memo: text('memo') }),
  });
}
