/** Runs a limited number of jobs at a time, the rest in order. A cancelled job keeps its slot until its work has ended. */

/** A bounded number of places. */
export interface Slots {
  /** Runs work when there is a place. Rejects with the signal's reason, without starting, when it aborts before that. */
  run<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T>;
}

export function createSlots(most: number): Slots {
  let taken = 0;
  /** In order. Calling one hands it the place that has become free. */
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
