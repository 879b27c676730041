/** Builds local plans, whose transactions are checked like those of the service. */

import type { Ledger } from '../ledger/types.ts';
import { isOwnPlan, type OwnPlan, paymentsIn } from '../plan/ownPlans.ts';
import { PlanError } from '../plan/readAnswer.ts';
import type { Chain } from '../rpc/types.ts';
import { buildReclaim, closableTable, type ReclaimRequest } from './reclaim.ts';
import { buildSend, type SendRequest } from './send.ts';
import { buildUnwrap, type UnwrapRequest } from './unwrap.ts';

/** Requests of local plans. */
export interface OwnRequests {
  readonly send: SendRequest;
  readonly unwrapSol: UnwrapRequest;
  /** Without `lookupTable`: any closable table of this home. */
  readonly reclaimRent: Pick<ReclaimRequest, 'wallet'> & Partial<ReclaimRequest>;
}

type Fields = Readonly<Record<string, unknown>>;

/** Completes a request with a closable table if it names none. Rejects like `closableTable`. */
export async function wholeRequest(
  deps: { readonly ledger: Pick<Ledger, 'rows'>; readonly chain: Pick<Chain, 'accounts'> },
  plan: OwnPlan,
  { ...request }: OwnRequests[OwnPlan],
): Promise<Fields> {
  if (plan !== 'reclaimRent' || 'lookupTable' in request) return request;
  return { ...request, lookupTable: await closableTable(deps, request.wallet) };
}

/** Answers requests: the service or a local builder. */
interface Answers {
  call(endpoint: string, fields: Fields): Promise<unknown>;
}

/** Builds local plans and forwards other requests to the service. Rejects like either. */
export const withBuilders = (chain: BuildersChain, service: Answers): Answers => ({
  call: (endpoint, fields) =>
    isOwnPlan(endpoint) ? built(chain, endpoint, fields) : service.call(endpoint, fields),
});

type BuildersChain = Pick<Chain, 'accounts' | 'latestBlockhash' | 'rent'>;

function built(chain: BuildersChain, plan: OwnPlan, fields: Fields): Promise<unknown> {
  const text = (name: string, of = fields): string => {
    const value = of[name];
    if (typeof value !== 'string') throw new PlanError('A stored request is incomplete.');
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
  if (first === undefined) throw new PlanError('A stored request is incomplete.');
  const memo = fields.memo == null ? {} : { memo: text('memo') };
  return buildSend(chain, { wallet: text('wallet'), ...first, more, ...memo });
}
