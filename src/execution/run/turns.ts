/**
 * Schedules the stages this process signs for a wallet, first come, first served. A stage that may get guards runs
 * alone, from reading its bounds to its outcome, since any other signature of the wallet would make its guards fail;
 * other stages run concurrently. Processes exclude each other by the wallet's lease.
 */
import { slept } from '../../clock.ts';
import type { Plan } from '../../plan/types.ts';
import type { Address } from '../../transaction/types.ts';
import type { ExecutionDeps, Timing } from '../ports.ts';
import { isInFlight, isLanded } from '../status.ts';

export class Turns {
  private readonly begun = new Map<
    Address,
    { readonly alone: boolean; readonly ended: Promise<unknown> }[]
  >();

  /** Runs `work` once the earlier turns permit it. */
  async take<T>(wallet: Address, alone: boolean, work: () => Promise<T>): Promise<T> {
    const before = this.begun.get(wallet) ?? [];
    const waits = before.filter((turn) => alone || turn.alone).map(({ ended }) => ended);
    const result = Promise.allSettled(waits).then(work);
    const turn = { alone, ended: result.catch(() => undefined) };
    this.begun.set(wallet, [...before, turn]);
    try {
      return await result;
    } finally {
      const left = (this.begun.get(wallet) ?? []).filter((each) => each !== turn);
      if (left.length > 0) this.begun.set(wallet, left);
      else this.begun.delete(wallet);
    }
  }
}

/**
 * Milliseconds after which signatures of earlier processes are no longer waited for; a blockhash lives about 60 s.
 */
const MAX_QUIET_MS = 120_000;

/**
 * Waits until no signature of a wallet may still land, including those of earlier processes. Returns the slot of its
 * newest unfinalized transaction, from which on views of its balances are current; `undefined` when stopped.
 */
export async function waitUntilQuiet(
  { ledger, clock }: Pick<ExecutionDeps, 'ledger' | 'clock'>,
  { pollMs }: Timing,
  { wallet, network }: Plan,
  signal: AbortSignal,
): Promise<number | undefined> {
  const until = clock.now() + MAX_QUIET_MS;
  for (;;) {
    const rows = await ledger.rows('journal', { open: true, wallet, network });
    // What is in doubt may stay so: where it lands after all, the guards fail.
    const isQuiet = !rows.some(({ state }) => isInFlight(state) && state !== 'unknown');
    if (isQuiet || clock.now() >= until)
      return Math.max(0, ...rows.map(({ state, slot }) => (isLanded(state) ? (slot ?? 0) : 0)));
    if (!(await slept(clock, pollMs, signal))) return undefined;
  }
}
