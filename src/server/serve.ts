/**
 * Serving over stdio, from the first byte to the exit code. Ends gracefully when the client closes stdin, breaks the
 * pipe or sends a signal: no new stage is started, open calls get a few seconds to reach a journaled state, and then
 * the process ends (rows F40 to F42).
 *
 * Exit codes: 0 the client closed stdin · 1 the client's end of stdout broke · 70 an uncaught error · 130 SIGINT,
 * 143 SIGTERM.
 */
import { setFlagsFromString } from 'node:v8';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import type { CountersignServer } from './createServer.ts';
import { StdioTransport } from './stdio/transport.ts';

/** How long open calls get, in milliseconds. Clients kill after five seconds. */
const GRACE_MS = 4_000;
/** In so many parts. */
const GRACE_PARTS = 40;

/** Exit code after an error that nothing caught. */
export const CRASHED = 70;
const EXIT = { end: 0, broken: 1, SIGINT: 130, SIGTERM: 143 } as const;
type Ending = keyof typeof EXIT;

export interface ServeOptions {
  /** One line for stderr. */
  readonly log: (line: string) => void;
  /** What may leave of a value: results, errors of the protocol, requests to the client. Default: all of it. */
  readonly redact?: (value: unknown) => Promise<unknown>;
  /** Called when all calls are answered or given up, last before the process ends. Never rejects, and does not take long. */
  readonly atEnd?: () => Promise<void>;
}

/** Serves a process's stdin and stdout. Returns at once; the process ends when the client is gone. */
export function serve(server: CountersignServer, process: NodeJS.Process, options: ServeOptions): void {
  const { stdin, stdout } = process;
  const { log, redact = async (value: unknown) => value } = options;
  const write = stdout.write.bind(stdout);
  let ending = false;

  const end = (why: Ending): void => {
    if (ending) {
      // A second signal does not wait (F42); everything irreversible is already journaled.
      if (why === 'SIGINT' || why === 'SIGTERM') process.exit(EXIT[why]);
      return;
    }
    ending = true;
    void finish(why);
  };

  const finish = async (why: Ending): Promise<void> => {
    const answered = why === 'broken' ? Promise.resolve() : transport.idle();
    const stopped = server.stop(answered).catch(() => log('the work in progress did not stop cleanly'));
    await Promise.race([Promise.all([stopped, answered]), grace()]);
    await Promise.race([handle.close(), pause(500)]);
    await options.atEnd?.();
    process.exit(EXIT[why]);
  };

  const transport = new StdioTransport({
    stdin,
    write: (line) => new Promise((resolve) => write(line, () => resolve())),
    log,
    redact,
    onEnd: () => end('end'),
  });
  stdout.on('error', () => end('broken'));
  // The runtime would print the error whole, and its text may hold anything; the ledger is always ready for a crash.
  process.on('uncaughtException', (error) => {
    log(`stopped by an internal error\n${framesOf(error)}`);
    process.exit(CRASHED);
  });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => end(signal));
  guardStdout(process);
  // Garbage of many calls is collected early: by itself the heap grows to several times what is in use (F57).
  setFlagsFromString('--heap-growing-percent=20');
  const handle = serveStdio(() => server.connection(), {
    transport,
    // Its text may repeat what the client sent.
    onerror: (error) => void redact(error.message).then((text) => log(`protocol: ${text}`)),
  });
}

/** stdout belongs to MCP: what anything else writes there goes to stderr, where it cannot break the stream. */
function guardStdout({ stdout, stderr }: NodeJS.Process): void {
  stdout.write = stderr.write.bind(stderr);
}

/** Where an error came from, without what it says. */
export const framesOf = (error: unknown): string =>
  (error instanceof Error ? (error.stack ?? '') : '')
    .split('\n')
    .filter((line) => /^ {4}at /.test(line))
    .slice(0, 12)
    .join('\n');

/**
 * The time open calls get, counted while this process runs: after one in which it was stopped, or got no processor, a part
 * is over and not the whole, so that calls which are nearly done are still answered.
 */
async function grace(): Promise<void> {
  for (let part = 0; part < GRACE_PARTS; part += 1) await pause(GRACE_MS / GRACE_PARTS);
}

const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, milliseconds);
  });
