/** A chain whose slots pass when something happens on it, and at no other time: no machine is too slow for it. */
import type { Sandbox } from '../sandbox/sandbox.ts';

/** Lets so many slots pass after each transaction that lands. The sandbox has a manual clock. */
export function passWithTransactions(sandbox: Sandbox, slots: number): void {
  sandbox.chain.on('transaction', () => setImmediate(() => sandbox.advanceSlots(slots)));
}

/** Slots after which what landed is final; a blockhash outlives three such steps. */
export const UNTIL_FINAL = 40;
