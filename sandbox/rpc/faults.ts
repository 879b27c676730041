/** Injected faults of the RPC by name. They do not affect the chain. */

/** Descriptions of the faults. */
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

/** Transport faults after a request was executed. */
export type TransportFault = '503' | 'reset';

export class RpcFaults {
  readonly #armed = new Map<RpcFaultName, number>();

  /**
   * Arms a fault. `amount`: the lag in slots of `lagging_view` (default 10), or the number of requests (default: until it is
   * disarmed).
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

  /** Lag of this server's view in slots. */
  get lag(): number {
    return this.#armed.get('lagging_view') ?? 0;
  }

  /** Returns whether a fault applies to this request, and counts the request. */
  meets(name: Exclude<RpcFaultName, 'lagging_view'>): boolean {
    const left = this.#armed.get(name) ?? 0;
    if (left <= 0) return false;
    if (left === 1) this.#armed.delete(name);
    else this.#armed.set(name, left - 1);
    return true;
  }
}
