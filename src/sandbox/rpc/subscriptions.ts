/**
 * What one WebSocket connection watches. Each subscription is asked again whenever the chain moves, and says what
 * is new since the last time; so views, forks and a lagging node need no special care here.
 */
import type { TransactionRecord } from '../chain/types.ts';
import { invalidParams } from './errors.ts';
import { stringify } from './json.ts';
import { encodedAt } from './methods/accounts.ts';
import type { Methods } from './methods/method.ts';
import { type RpcNode, withContext } from './node.ts';
import { addressIn, booleanIn, commitmentIn, configIn, type Params, stringsIn } from './params.ts';

interface Subscription {
  /** Notification method, and what `…Unsubscribe` must be called. */
  readonly kind: 'account' | 'logs' | 'root' | 'signature' | 'slot';
  /** Results that became known since the last call. */
  news(): unknown[];
  /** Whether the subscription ends after these news. */
  done?(): boolean;
  /** Lets go of what the subscription holds. */
  end?(): void;
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
    this.#unwatch = [
      chain.on('slot', publish),
      chain.on('transaction', publish),
      chain.on('account', publish),
    ];
    this.methods = {
      signatureSubscribe: (params) => this.#add(this.#signature(params)),
      accountSubscribe: (params) => this.#add(this.#account(params)),
      logsSubscribe: (params) => this.#add(this.#logs(params)),
      slotSubscribe: () => this.#add(this.#slot()),
      rootSubscribe: () => this.#add(this.#root()),
      signatureUnsubscribe: (params) => this.#remove(params),
      accountUnsubscribe: (params) => this.#remove(params),
      logsUnsubscribe: (params) => this.#remove(params),
      slotUnsubscribe: (params) => this.#remove(params),
      rootUnsubscribe: (params) => this.#remove(params),
    };
  }

  /** Sends what is new to every subscription. */
  publish(): void {
    for (const [id, subscription] of this.#active) {
      const method = `${subscription.kind}Notification`;
      for (const result of subscription.news()) {
        this.#send(stringify({ jsonrpc: '2.0', method, params: { result, subscription: id } }));
      }
      if (subscription.done?.()) this.#end(id);
    }
  }

  close(): void {
    for (const unwatch of this.#unwatch) unwatch();
    for (const id of [...this.#active.keys()]) this.#end(id);
  }

  #add(subscription: Subscription): number {
    this.#lastId += 1;
    this.#active.set(this.#lastId, subscription);
    return this.#lastId;
  }

  #remove(params: Params): boolean {
    if (this.#end(params.integer(0))) return true;
    throw invalidParams('Invalid subscription id.');
  }

  #end(id: number): boolean {
    this.#active.get(id)?.end?.();
    return this.#active.delete(id);
  }

  #signature(params: Params): Subscription {
    const node = this.#node;
    const signature = params.signature(0);
    const config = params.config(1);
    const commitment = commitmentIn(config.commitment);
    let tellReceived = booleanIn(config.enableReceivedNotification, 'enableReceivedNotification');
    let done = false;
    return {
      kind: 'signature',
      done: () => done,
      news: () => {
        const news: unknown[] = [];
        const received = node.chain.transaction(signature, node.tip);
        if (received !== undefined && tellReceived) {
          tellReceived = false;
          news.push(withContext(node.tip, 'receivedSignature'));
        }
        const slot = node.slotAt(commitment);
        const record = node.chain.transaction(signature, slot);
        if (record !== undefined) {
          done = true;
          news.push(withContext(slot, { err: record.err }));
        }
        return news;
      },
    };
  }

  #account(params: Params): Subscription {
    const node = this.#node;
    const address = params.address(0);
    const config = params.config(1);
    const commitment = commitmentIn(config.commitment);
    const show = (slot: number) => encodedAt(node, slot, config)(address);
    let shown = stringify(show(node.slotAt(commitment)));
    return {
      kind: 'account',
      news: () => {
        const slot = node.slotAt(commitment);
        const account = show(slot);
        const text = stringify(account);
        if (text === shown) return [];
        shown = text;
        return [withContext(slot, account ?? EMPTY_ACCOUNT)];
      },
    };
  }

  #logs(params: Params): Subscription {
    const node = this.#node;
    const matches = logFilter(params.raw(0));
    const commitment = commitmentIn(params.config(1).commitment);
    let waiting: TransactionRecord[] = [];
    const end = node.chain.on('transaction', (record) => {
      if (matches(record)) waiting.push(record);
    });
    return {
      kind: 'logs',
      end,
      news: () => {
        const slot = node.slotAt(commitment);
        // A fork may have dropped a transaction while it waited.
        const known = waiting.filter((record) => node.chain.transaction(record.signature) !== undefined);
        waiting = known.filter((record) => record.slot > slot);
        return known
          .filter((record) => record.slot <= slot)
          .map(({ signature, err, logs }) => withContext(slot, { signature, err, logs }));
      },
    };
  }

  #slot(): Subscription {
    const node = this.#node;
    let seen = node.tip;
    return {
      kind: 'slot',
      news: () => {
        if (node.tip <= seen) return [];
        seen = node.tip;
        return [{ slot: seen, parent: seen - 1, root: node.slotAt('finalized') }];
      },
    };
  }

  #root(): Subscription {
    const node = this.#node;
    let seen = node.slotAt('finalized');
    return {
      kind: 'root',
      news: () => {
        const root = node.slotAt('finalized');
        if (root <= seen) return [];
        seen = root;
        return [root];
      },
    };
  }
}

/** What nodes send when a watched account is gone. */
const EMPTY_ACCOUNT = {
  data: ['', 'base64'],
  executable: false,
  lamports: 0,
  owner: '11111111111111111111111111111111',
  rentEpoch: 0,
  space: 0,
};

function logFilter(filter: unknown): (record: TransactionRecord) => boolean {
  if (filter === 'all' || filter === 'allWithVotes') return () => true;
  const [mention, ...more] = stringsIn(configIn(filter, 'filter').mentions, 'mentions', 1);
  if (mention === undefined || more.length > 0)
    throw invalidParams('Invalid Request: Only 1 address supported');
  const address = addressIn(mention, 'mentions');
  return ({ staticAccounts, loadedAddresses: { writable, readonly } }) =>
    [staticAccounts, writable, readonly].some((accounts) => accounts.includes(address));
}
