/** The node of the RPC: the chain as seen with this server's faults. */
import type { SandboxChain } from '../chain/chain.ts';
import type { Commitment } from '../chain/types.ts';
import { MIN_CONTEXT_SLOT_NOT_REACHED, RpcError } from './errors.ts';
import type { RpcFaults } from './faults.ts';
import { type Config, commitmentIn, integerIn } from './params.ts';

/** Version of the node software. */
export const NODE_VERSION = '3.0.0';

/** A JSON-RPC result with the slot it was read at. */
export interface WithContext<T> {
  readonly context: { readonly apiVersion: string; readonly slot: number };
  readonly value: T;
}

export class RpcNode {
  readonly chain: SandboxChain;
  readonly faults: RpcFaults;

  constructor(chain: SandboxChain, faults: RpcFaults) {
    this.chain = chain;
    this.faults = faults;
  }

  /** The newest slot of this node. */
  get tip(): number {
    return this.slotAt('processed');
  }

  slotAt(commitment: Commitment): number {
    return this.chain.slotAt(this.chain.slotAt(commitment) - this.faults.lag);
  }

  /** Returns the slot of a request's view. Throws if `minContextSlot` is not reached. */
  view(config: Config, fallback: Commitment = 'finalized'): number {
    const slot = this.slotAt(commitmentIn(config.commitment, fallback));
    if (config.minContextSlot === undefined || config.minContextSlot === null) return slot;
    if (slot >= integerIn(config.minContextSlot, 'minContextSlot')) return slot;
    throw new RpcError(MIN_CONTEXT_SLOT_NOT_REACHED, 'Minimum context slot has not been reached', {
      contextSlot: slot,
    });
  }
}

export function withContext<T>(slot: number, value: T): WithContext<T> {
  return { context: { apiVersion: NODE_VERSION, slot }, value };
}
