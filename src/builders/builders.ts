/** Builds the plans that no service is asked for: their bytes are made here, and judged like those of a service. */

import type { Ledger } from '../ledger/types.ts';
import { PlanError } from '../plan/errors.ts';
import { isOwnPlan, type OwnPlan, paymentsIn } from '../plan/ownPlans.ts';
import type { Chain } from '../rpc/types.ts';
import { buildReclaim, closableTable, type ReclaimRequest } from './reclaim.ts';
import { buildSend, type SendRequest } from './send.ts';
import { buildUnwrap, type UnwrapRequest } from './unwrap.ts';

/** The request of each plan that is built here. */
export interface OwnRequests {
  readonly send: SendRequest;
  readonly unwrapSol: UnwrapRequest;
  /** Without a table: any of this home that can be closed. */
  readonly reclaimRent: Pick<ReclaimRequest, 'wallet'> & Partial<ReclaimRequest>;
}

type Fields = Readonly<Record<string, unknown>>;

/** A request with everything in it that its plan is about. Rejects as its builder does. */
export async function wholeRequest(
  deps: { readonly ledger: Pick<Ledger, 'plans'>; readonly chain: Pick<Chain, 'accounts'> },
  plan: OwnPlan,
  { ...request }: OwnRequests[OwnPlan],
): Promise<Fields> {
  if (plan !== 'reclaimRent' || 'lookupTable' in request) return request;
  return { ...request, lookupTable: await closableTable(deps, request.wallet) };
}

/** What answers a request: the service, or what builds it here. */
interface Answers {
  call(endpoint: string, fields: Fields): Promise<unknown>;
}

/** Answers for the plans built here, and asks the service for all others. Rejects as either does. */
export const withBuilders = (chain: BuildersChain, service: Answers): Answers => ({
  call: (endpoint, fields) =>
    isOwnPlan(endpoint) ? built(chain, endpoint, fields) : service.call(endpoint, fields),
});

type BuildersChain = Pick<Chain, 'accounts' | 'latestBlockhash' | 'rent'>;

function built(chain: BuildersChain, plan: OwnPlan, fields: Fields): Promise<unknown> {
  const text = (name: string, of = fields): string => {
    const value = of[name];
    if (typeof value !== 'string') throw new PlanError('A stored request lacks a part.');
    return value;
  };
  if (plan === 'reclaimRent') {
    return buildReclaim(chain, { wallet: text('wallet'), lookupTable: text('lookupTable') });
  }
  if (plan === 'unwrapSol') return buildUnwrap(chain, { wallet: text('wallet') });
  const [first, ...more] = paymentsIn(fields).map((payment) => ({
    to: text('to', payment),
    amountRaw: text('amountRaw', payment),
    ...(payment.tokenMint == null ? {} : { tokenMint: text('tokenMint', payment) }),
  }));
  if (first === undefined) throw new PlanError('A stored request lacks a part.');
  const memo = fields.memo == null ? {} : { memo: text('memo') };
  return buildSend(chain, { wallet: text('wallet'), ...first, more, ...memo });
}
