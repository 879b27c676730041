/**
 * Runs a command in this process, which takes a tenth of a start: `main` with its parsing, settings, redaction and
 * wrapping, and with streams that record. Homes are named by `COUNTERSIGN_HOME`.
 */
import { Writable } from 'node:stream';
import { main } from '../../src/cli/main.ts';
import { COMMAND } from './harness.ts';

export interface Recorded {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  /** Both streams, in the order of their lines. */
  readonly shown: string;
}

/** @param columns width of the terminal; absent for a pipe */
export async function runHere(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  columns?: number,
): Promise<Recorded> {
  const recorded = { code: 0, out: '', err: '', shown: '' };
  const stream = (name: 'out' | 'err') => {
    const written = new Writable({
      write: (chunk, _, done) => {
        recorded[name] += chunk;
        recorded.shown += chunk;
        done();
      },
    });
    return { value: Object.assign(written, columns === undefined ? {} : { columns, isTTY: true }) };
  };
  const here: NodeJS.Process = Object.create(process, {
    argv: { value: [process.execPath, COMMAND, ...args] },
    env: { value: env },
    stdin: { value: process.stdin },
    stdout: stream('out'),
    stderr: stream('err'),
    exitCode: { value: undefined, writable: true },
  });
  await main(here);
  recorded.code = Number(here.exitCode ?? 0);
  return recorded;
}
