/** Bundles of signed transactions: all of them land, in order, or none. */
import { createHash } from 'node:crypto';
import bs58 from 'bs58';
import type { EndpointRequest } from '../../../contract/index.ts';
import { transactionErrorSentence } from '../../chain/errors.ts';
import type { SubmitOutcome } from '../../chain/types.ts';
import type { ServiceContext } from '../context.ts';
import type { Handlers } from '../http/app.ts';
import { badRequest } from '../http/errors.ts';

/** Tips the sandbox names, in SOL; its own numbers. */
const TIPS = { low: 0.000_001, middle: 0.000_01, high: 0.000_1 };

export const bundleHandlers = {
  sendBundle: (service, request) => send(service, request),
  bundleStatuses: (service, { bundleIds }) => ({
    context: { slot: service.onchain.chain.slot },
    value: bundleIds.flatMap((id) => statusOf(service, id) ?? []),
  }),
  bundleTips: (service) => ({
    time: new Date(service.now()).toISOString(),
    landed_tips_25th_percentile: TIPS.low,
    landed_tips_50th_percentile: TIPS.middle,
    landed_tips_75th_percentile: TIPS.middle,
    landed_tips_95th_percentile: TIPS.high,
    landed_tips_99th_percentile: TIPS.high,
    ema_landed_tips_50th_percentile: TIPS.middle,
  }),
} satisfies Handlers;

/** Lands a bundle, or undoes what landed of it and says why. Its id is a hash of its signatures. */
function send(service: ServiceContext, { transactions }: EndpointRequest<'sendBundle'>): string {
  const { chain } = service.onchain;
  const landed: string[] = [];
  const undo = () => {
    for (const signature of landed.toReversed()) chain.fork(signature);
  };
  for (const [index, text] of transactions.entries()) {
    const outcome = submitted(service, text, index, undo);
    const err = outcome.landed ? outcome.record.err : outcome.err;
    if (outcome.landed) landed.push(outcome.record.signature);
    if (err === null) continue;
    undo();
    throw badRequest(`transactions.${index}: ${transactionErrorSentence(err ?? 'SanitizeFailure')}`);
  }
  const id = createHash('sha256').update(landed.join(',')).digest('hex');
  service.state.bundles.set(id, landed);
  return id;
}

function submitted(service: ServiceContext, text: string, index: number, undo: () => void): SubmitOutcome {
  const bytes = bs58.decodeUnsafe(text);
  try {
    if (bytes !== undefined) return service.onchain.chain.submit(bytes);
  } catch {
    // Not a transaction.
  }
  undo();
  throw badRequest(`transactions.${index}: is not a signed transaction in base58`);
}

function statusOf(service: ServiceContext, id: string) {
  const signatures = service.state.bundles.get(id);
  const [first] = signatures ?? [];
  const status = first === undefined ? undefined : service.onchain.chain.status(first);
  if (signatures === undefined || status === undefined) return undefined;
  return {
    bundle_id: id,
    transactions: signatures,
    slot: status.slot,
    confirmation_status: status.commitment,
    err: { Ok: null },
  };
}
