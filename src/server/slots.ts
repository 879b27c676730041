/**
 * Runs a limited number of jobs concurrently, the rest in order. A cancelled job keeps its slot until its work has
 * ended.
 */

/** A bounded number of slots. */
export interface Slots {
  /** Runs work when a slot is free. Rejects with the signal's reason, without starting, if it aborts before. */
  run<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T>;
}

export function createSlots(most: number): Slots {
  let taken = 0;
  /** Waiting jobs in order. Calling one hands it the free slot. */
  const waiting = new Set<() => void>();

  const turn = (signal: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      const leave = () => {
        if (waiting.delete(enter)) reject(signal.reason);
      };
      const enter = () => {
        signal.removeEventListener('abort', leave);
        resolve();
      };
      waiting.add(enter);
      if (signal.aborted) leave();
      else signal.addEventListener('abort', leave, { once: true });
    });

  return {
    run: async (signal, work) => {
      if (taken >= most) await turn(signal);
      else taken += 1;
      try {
        return await work();
      } finally {
        const [next] = waiting;
        if (next === undefined) taken -= 1;
        else {
          waiting.delete(next);
          next();
        }
      }
    },
  };
}
