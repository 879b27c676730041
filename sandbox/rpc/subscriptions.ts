/** Subscriptions of one WebSocket connection. Each is evaluated again on every event of the chain. */
import { invalidParams } from './errors.ts';
import { stringify } from './json.ts';
import type { Methods } from './methods/method.ts';
import { type RpcNode, withContext } from './node.ts';
import { commitmentIn, type Params } from './params.ts';

interface Subscription {
  /** Notification method, and what `…Unsubscribe` must be called. */
  readonly kind: 'signature' | 'slot';
  /** Results that became known since the last call. */
  news(): unknown[];
  /** Whether the subscription ends after these news. */
  done(): boolean;
}

export class Subscriptions {
  readonly methods: Methods;
  readonly #node: RpcNode;
  readonly #send: (text: string) => void;
  readonly #active = new Map<number, Subscription>();
  readonly #unwatch: (() => void)[];
  #lastId = 0;

  constructor(node: RpcNode, send: (text: string) => void) {
    this.#node = node;
    this.#send = send;
    const publish = () => this.publish();
    const { chain } = node;
    this.#unwatch = [chain.on('slot', publish), chain.on('transaction', publish)];
    this.methods = {
      signatureSubscribe: (params) => this.#add(this.#signature(params)),
      slotSubscribe: () => this.#add(this.#slot()),
      signatureUnsubscribe: (params) => this.#remove(params),
      slotUnsubscribe: (params) => this.#remove(params),
    };
  }

  /** Sends what is new to every subscription. */
  publish(): void {
    for (const [id, subscription] of this.#active) {
      const method = `${subscription.kind}Notification`;
      for (const result of subscription.news()) {
        this.#send(stringify({ jsonrpc: '2.0', method, params: { result, subscription: id } }));
      }
      if (subscription.done()) this.#active.delete(id);
    }
  }

  close(): void {
    for (const unwatch of this.#unwatch) unwatch();
    this.#active.clear();
  }

  #add(subscription: Subscription): number {
    this.#lastId += 1;
    this.#active.set(this.#lastId, subscription);
    return this.#lastId;
  }

  #remove(params: Params): boolean {
    if (this.#active.delete(params.integer(0))) return true;
    throw invalidParams('Invalid subscription id.');
  }

  #signature(params: Params): Subscription {
    const node = this.#node;
    const signature = params.signature(0);
    const commitment = commitmentIn(params.config(1).commitment);
    let done = false;
    return {
      kind: 'signature',
      done: () => done,
      news: () => {
        const slot = node.slotAt(commitment);
        const record = node.chain.transaction(signature, slot);
        if (record === undefined) return [];
        done = true;
        return [withContext(slot, { err: record.err })];
      },
    };
  }

  #slot(): Subscription {
    const node = this.#node;
    let seen = node.tip;
    return {
      kind: 'slot',
      done: () => false,
      news: () => {
        if (node.tip <= seen) return [];
        seen = node.tip;
        return [{ slot: seen, parent: seen - 1, root: node.slotAt('finalized') }];
      },
    };
  }
}
