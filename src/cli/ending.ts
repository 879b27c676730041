/**
 * What a command still has to put away when it ends before its work is done: its reader went away (`| head -1`), or a
 * person pressed Ctrl-C.
 */

type CleanUp = () => Promise<unknown>;

const waiting = new Set<CleanUp>();

/** How long putting things away may take, in milliseconds. */
const MAX_MS = 3_000;

/** Does it when the command is ended early, and on SIGINT or SIGTERM before the process dies of the signal. */
export function onEarlyEnd(cleanUp: CleanUp): { forget(): void } {
  waiting.add(cleanUp);
  const signals = ['SIGINT', 'SIGTERM'] as const;
  const end = (signal: NodeJS.Signals) => {
    forget();
    void putAway([cleanUp]).then(() => process.kill(process.pid, signal));
  };
  const forget = () => {
    waiting.delete(cleanUp);
    for (const signal of signals) process.off(signal, end);
  };
  for (const signal of signals) process.on(signal, end);
  return { forget };
}

/** Does everything that was registered; resolves when it is done, failed, or has had its time. */
export const cleanUpEarly = (): Promise<void> => putAway([...waiting]);

async function putAway(cleanUps: readonly CleanUp[]): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, MAX_MS);
  });
  await Promise.race([Promise.allSettled(cleanUps.map((each) => each())), late]);
  clearTimeout(timer);
}
