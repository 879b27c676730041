/** Pages of claim events. */
import type { EndpointRequest } from '../../../src/contract/index.ts';
import type { ClaimEvent } from '../state.ts';

const EVENTS_A_PAGE = 100;

/** Returns the requested events, newest first. `all` is sorted oldest first. */
export function eventsPage(request: EndpointRequest<'claimEvents'>, all: readonly ClaimEvent[]) {
  const newestFirst = all.toReversed();
  const { from, to } = request;
  const offset = request.offset ?? 0;
  const chosen =
    request.mode === 'time'
      ? newestFirst.filter(
          ({ timestamp }) => timestamp >= (from ?? 0) && timestamp <= (to ?? Number.MAX_SAFE_INTEGER),
        )
      : newestFirst.slice(offset, offset + (request.limit ?? EVENTS_A_PAGE));
  return {
    events: chosen.map(({ wallet, isCreator, amount, signature, timestamp }) => ({
      wallet,
      isCreator,
      amount: String(amount),
      signature,
      timestamp: new Date(timestamp * 1000).toISOString(),
    })),
  };
}
