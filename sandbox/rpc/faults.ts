/**
 * Ways this RPC can fail on purpose, by name, to test how a client handles failures. The chain itself stays
 * honest: a fault only changes what this server does with requests.
 */

/** Every fault with what it does. */
export const RPC_FAULTS = {
  drop_send: 'answers a send with its signature and never submits it (F31)',
  land_then_503: 'lands a send, then answers 503 (F32)',
  land_then_reset: 'lands a send, then resets the connection (F32)',
  null_status: 'knows no status for the next polls (F34)',
  lagging_view: 'answers from a view some slots behind the chain (F34)',
  lying_status: 'calls every unknown signature finalized (F35)',
  wrong_genesis: 'names another genesis hash (F36)',
} as const;

export type RpcFaultName = keyof typeof RPC_FAULTS;

/** A transport that fails after the work was done. */
export type TransportFault = '503' | 'reset';

export class RpcFaults {
  readonly #armed = new Map<RpcFaultName, number>();

  /**
   * Arms a fault. `amount` is the number of slots for `lagging_view`, and otherwise how many requests it meets
   * before it is spent; without it, it stays until disarmed (and a view lags by 10 slots).
   */
  arm(name: RpcFaultName, amount = name === 'lagging_view' ? 10 : Number.POSITIVE_INFINITY): void {
    this.#armed.set(name, amount);
  }

  /** Disarms one fault, or all of them. */
  disarm(name?: RpcFaultName): void {
    if (name === undefined) this.#armed.clear();
    else this.#armed.delete(name);
  }

  armed(): RpcFaultName[] {
    return [...this.#armed.keys()];
  }

  /** Slots this server's view is behind the chain. */
  get lag(): number {
    return this.#armed.get('lagging_view') ?? 0;
  }

  /** Whether a fault meets this request; it counts as one. */
  meets(name: Exclude<RpcFaultName, 'lagging_view'>): boolean {
    const left = this.#armed.get(name) ?? 0;
    if (left <= 0) return false;
    if (left === 1) this.#armed.delete(name);
    else this.#armed.set(name, left - 1);
    return true;
  }
}
