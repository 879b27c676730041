/**
 * Turns of the stages that this process signs for a wallet. A stage that may get guards is alone from the reading of its
 * bounds until its outcome, since any other signature of the wallet would make its guards fail; all others work beside each
 * other. First come, first served. Processes exclude each other by the wallet's lease.
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

  /** Does a stage's work when those before it let it. */
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

/** Milliseconds after which a signature of an earlier process is waited for no longer; a blockhash lives about 60 s. */
const MAX_QUIET_MS = 120_000;

/**
 * Waits until no signature of a wallet may still land, of earlier processes too. Returns the slot of its newest landing that is
 * not final, from which on a view of its balances counts; `undefined` when told to stop.
 */
export async function quietSince(
  { ledger, clock }: Pick<ExecutionDeps, 'ledger' | 'clock'>,
  { pollMs }: Timing,
  { wallet, network }: Plan,
  signal: AbortSignal,
): Promise<number | undefined> {
  const until = clock.now() + MAX_QUIET_MS;
  for (;;) {
    const rows = await ledger.journal({ open: true, wallet, network });
    // What is in doubt may stay so: where it lands after all, the guards fail.
    const isQuiet = !rows.some(({ state }) => isInFlight(state) && state !== 'unknown');
    if (isQuiet || clock.now() >= until)
      return Math.max(0, ...rows.map(({ state, slot }) => (isLanded(state) ? (slot ?? 0) : 0)));
    if (!(await slept(clock, pollMs, signal))) return undefined;
  }
}
