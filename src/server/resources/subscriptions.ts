/**
 * Who wants to hear when a resource changes. A 2025 client says so with `resources/subscribe`; a 2026-07-28 client
 * opens a subscription (`subscriptions/listen`), which the SDK answers and routes by itself, so this
 * file only reads from it which resources are meant. The code that looks for changes is loaded by the first subscription.
 */

import type { Server } from '@modelcontextprotocol/server';
import { isRecord } from '../../base/record.ts';
import type { Clock } from '../../clock.ts';
import type { ToolHost } from '../host.ts';
import type { Watch } from './watch.ts';

/** What the SDK says of a connection it makes: on a modern one it routes notifications to subscriptions by itself. */
export interface ConnectionContext {
  readonly era?: 'legacy' | 'modern' | undefined;
}

export interface Subscriptions {
  /** Lets a connection's client subscribe, until the connection closes. */
  attach(server: Server, context: ConnectionContext): void;
  /** Told of every message of the client: those that open or end a subscription never get to an SDK server. */
  overhear(message: unknown): void;
  /** Tells of changes of resources until the function it returns is called. */
  follow(uris: readonly string[], tell: (uri: string) => void): () => void;
  stop(): void;
}

export interface SubscriptionParts {
  readonly open: () => Promise<ToolHost>;
  /** The clock for the pauses between two checks. Default: the machine's. */
  readonly clock?: Clock | undefined;
  /** One line for stderr. */
  readonly log: (line: string) => void;
}

/** Most resources of one subscription: as many as are watched (`watch.ts`, which is loaded later). */
export const MOST_SUBSCRIBED = 64;

/** A receiver of change notifications: a 2025 connection, or all subscriptions of the modern connections together. */
interface Subscriber {
  readonly uris: Set<string>;
  readonly tell: (uri: string) => void;
}

/** Starts with no subscription; no timer runs until a client subscribes. */
export function createSubscriptions({ open, clock, log }: SubscriptionParts): Subscriptions {
  const subscribers = new Set<Subscriber>();
  const modern = new Set<Server>();
  /** The resources that modern subscriptions are about, by the id of the request that opened each. */
  const listening = new Map<string, readonly string[]>();
  /** One notification a change, however many subscriptions want it: the SDK makes one for each. */
  const listeners: Subscriber = {
    uris: new Set(),
    tell: (uri) => {
      for (const server of modern) notify(server, uri);
    },
  };
  let stopped = false;
  let watch: Watch | undefined;

  const changed = (uri: string): void => {
    for (const { uris, tell } of subscribers) if (uris.has(uri)) tell(uri);
  };
  const keepWanted = (): void => watch?.keep(new Set([...subscribers].flatMap(({ uris }) => [...uris])));

  /** Resolves once it is known what the resource holds; rejects with a ResourceError when that cannot be read. */
  const subscribe = async (subscriber: Subscriber, uri: string): Promise<void> => {
    const { uris } = subscriber;
    subscribers.add(subscriber);
    uris.add(uri);
    const { createWatch } = await import('./watch.ts');
    if (stopped) return;
    watch ??= createWatch({ open, changed, clock });
    try {
      await watch.follow(uri);
    } catch (error) {
      uris.delete(uri);
      throw error;
    }
  };

  /** What is too much for the watch is not even begun: each one would cost a reading. */
  const subscribeAll = async (subscriber: Subscriber, wanted: readonly string[]): Promise<void> => {
    const some = [...new Set(wanted)].slice(0, MOST_SUBSCRIBED);
    if (some.length < wanted.length) log(`a subscription asks for more than ${MOST_SUBSCRIBED} resources`);
    const done = await Promise.allSettled(some.map((uri) => subscribe(subscriber, uri)));
    for (const each of done)
      if (each.status === 'rejected') log(`a subscription is not served: ${why(each.reason)}`);
    // The client that asked may be gone by now.
    keepWanted();
  };

  const listen = (id: string, wanted: readonly string[]): void => {
    listening.set(id, wanted);
    void subscribeAll(listeners, wanted);
  };

  const cancel = (id: string): void => {
    if (!listening.delete(id)) return;
    const wanted = new Set([...listening.values()].flat());
    for (const uri of listeners.uris) if (!wanted.has(uri)) listeners.uris.delete(uri);
    keepWanted();
  };

  return {
    attach: (server, { era }) => {
      const subscriber: Subscriber = { uris: new Set(), tell: (uri) => notify(server, uri) };
      server.setRequestHandler('resources/subscribe', async ({ params: { uri } }) => {
        try {
          await subscribe(subscriber, uri);
        } finally {
          // The client that asked may be gone by now.
          keepWanted();
        }
        return {};
      });
      server.setRequestHandler('resources/unsubscribe', ({ params: { uri } }) => {
        subscriber.uris.delete(uri);
        keepWanted();
        return {};
      });
      if (era === 'modern') modern.add(server);
      server.onclose = () => {
        modern.delete(server);
        subscribers.delete(subscriber);
        keepWanted();
      };
    },
    overhear: (message) => {
      const heard = read(message);
      if (heard?.kind === 'listen') listen(heard.id, heard.uris);
      if (heard?.kind === 'cancel') cancel(heard.id);
    },
    follow: (uris, tell) => {
      const subscriber: Subscriber = { uris: new Set(), tell };
      void subscribeAll(subscriber, uris);
      return () => {
        subscribers.delete(subscriber);
        keepWanted();
      };
    },
    stop: () => {
      stopped = true;
      subscribers.clear();
      keepWanted();
    },
  };
}

/** A client that went away in the meantime is not told. */
const notify = (server: Server, uri: string): void =>
  void server.sendResourceUpdated({ uri }).catch(() => undefined);

/** Errors of resources are sentences of ours; of any other only its kind is told. */
const why = (error: unknown): string =>
  error instanceof Error && error.name === 'ResourceError' ? error.message : 'internal error';

/** What a client's message says about subscriptions of the 2026-07-28 revision. */
type Heard =
  | { readonly kind: 'listen'; readonly id: string; readonly uris: readonly string[] }
  | { readonly kind: 'cancel'; readonly id: string };

/** Reads a message; `undefined` when it is about something else. Ids of different types are different. */
function read(message: unknown): Heard | undefined {
  if (!isRecord(message) || !isRecord(message.params)) return undefined;
  const { method, params } = message;
  if (method === 'notifications/cancelled') return { kind: 'cancel', id: JSON.stringify(params.requestId) };
  if (method !== 'subscriptions/listen' || !isRecord(params.notifications)) return undefined;
  const { resourceSubscriptions } = params.notifications;
  const uris = Array.isArray(resourceSubscriptions)
    ? resourceSubscriptions.filter((uri) => typeof uri === 'string')
    : [];
  return uris.length === 0 ? undefined : { kind: 'listen', id: JSON.stringify(message.id), uris };
}
