/** Chain whose slots advance only with transactions, independent of machine speed. */
import type { Sandbox } from '../sandbox/sandbox.ts';

/** Advances `slots` slots after each landed transaction. The sandbox must have a manual clock. */
export function passWithTransactions(sandbox: Sandbox, slots: number): void {
  sandbox.chain.on('transaction', () => setImmediate(() => sandbox.advanceSlots(slots)));
}

/** Slots until a transaction is final; a blockhash outlives three such steps. */
export const UNTIL_FINAL = 40;
