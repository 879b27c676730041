/**
 * Cleanup handlers of a command that ends early: standard output was closed (`| head -1`), or the user pressed
 * Ctrl-C.
 */

type CleanUp = () => Promise<unknown>;

const waiting = new Set<CleanUp>();

/** Longest duration of the cleanup, in milliseconds. */
const MAX_MS = 3_000;

/** Registers a cleanup handler, run on an early end of the command and on SIGINT or SIGTERM before the process exits. */
export function onEarlyEnd(cleanUp: CleanUp): { forget(): void } {
  waiting.add(cleanUp);
  const signals = ['SIGINT', 'SIGTERM'] as const;
  const end = (signal: NodeJS.Signals) => {
    forget();
    void runCleanUps([cleanUp]).then(() => process.kill(process.pid, signal));
  };
  const forget = () => {
    waiting.delete(cleanUp);
    for (const signal of signals) process.off(signal, end);
  };
  for (const signal of signals) process.on(signal, end);
  return { forget };
}

/** Runs all registered handlers; resolves on completion, failure or timeout. */
export const cleanUpEarly = (): Promise<void> => runCleanUps([...waiting]);

async function runCleanUps(cleanUps: readonly CleanUp[]): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, MAX_MS);
  });
  await Promise.race([Promise.allSettled(cleanUps.map((each) => each())), late]);
  clearTimeout(timer);
}
