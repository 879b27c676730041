/**
 * Serves over stdio until the process exits. Ends gracefully when the client closes stdin, breaks the pipe or sends a
 * signal: no new stage is started, and open calls get a few seconds to reach a journaled state (rows F40 to F42).
 *
 * Exit codes: 0 the client closed stdin · 1 the client's end of stdout broke · 70 an uncaught error · 130 SIGINT, 143
 * SIGTERM.
 */
import { setFlagsFromString } from 'node:v8';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import type { CountersignServer } from './createServer.ts';
import { StdioTransport } from './stdio/transport.ts';

/** Milliseconds that open calls get to end. Clients kill after five seconds. */
const GRACE_MS = 4_000;
/** Number of parts of the grace period. */
const GRACE_PARTS = 40;

/** Exit code after an uncaught error. */
export const CRASHED = 70;
const EXIT = { end: 0, broken: 1, SIGINT: 130, SIGTERM: 143 } as const;
type Ending = keyof typeof EXIT;

export interface ServeOptions {
  /** Writes one line to stderr. */
  readonly log: (line: string) => void;
  /** Redacts outgoing values: results, protocol errors, requests to the client. Default: no redaction. */
  readonly redact?: (value: unknown) => Promise<unknown>;
  /** Called last before the process ends, when all calls are answered or abandoned. Never rejects and is quick. */
  readonly atEnd?: () => Promise<void>;
}

/** Serves a process's stdin and stdout. Returns at once; the process ends when the client disconnects. */
export function serve(server: CountersignServer, process: NodeJS.Process, options: ServeOptions): void {
  const { stdin, stdout } = process;
  const { log, redact = async (value: unknown) => value } = options;
  const write = stdout.write.bind(stdout);
  let ending = false;

  const end = (why: Ending): void => {
    if (ending) {
      // A second signal exits at once (F42); everything irreversible is already journaled.
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
  // The runtime would print the whole error, whose text may contain secrets; the ledger is safe against crashes.
  process.on('uncaughtException', (error) => {
    log(`stopped by an internal error\n${framesOf(error)}`);
    process.exit(CRASHED);
  });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => end(signal));
  guardStdout(process);
  // Collects the garbage of many calls early: the heap would otherwise grow to several times the memory in use (F57).
  setFlagsFromString('--heap-growing-percent=20');
  const handle = serveStdio(() => server.connection(), {
    transport,
    // The error text may quote the client's message.
    onerror: (error) => void redact(error.message).then((text) => log(`protocol: ${text}`)),
  });
}

/** Reserves stdout for MCP: other output goes to stderr, where it cannot corrupt the stream. */
function guardStdout({ stdout, stderr }: NodeJS.Process): void {
  stdout.write = stderr.write.bind(stderr);
}

/** Returns the stack frames of an error without its message. */
export const framesOf = (error: unknown): string =>
  (error instanceof Error ? (error.stack ?? '') : '')
    .split('\n')
    .filter((line) => /^ {4}at /.test(line))
    .slice(0, 12)
    .join('\n');

/**
 * The grace period of open calls, counted in parts while the process runs: if the process was suspended, only one
 * part is lost, so that calls near completion are still answered.
 */
async function grace(): Promise<void> {
  for (let part = 0; part < GRACE_PARTS; part += 1) await pause(GRACE_MS / GRACE_PARTS);
}

const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, milliseconds);
  });
