/** A person at a real terminal: a command on a pseudo-terminal, and answers typed when it asks. */
import { spawn } from 'node:child_process';
import { COMMAND } from './harness.ts';

/** `script` of util-linux gives its command a terminal; what happens there comes out of its own output. */
const quoted = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;

export interface Typed {
  readonly code: number | null;
  /** Everything the terminal showed. */
  readonly shown: string;
}

/** Runs a subcommand and types each answer, in order, as its question appears. */
export function typeInto(
  args: readonly string[],
  env: Record<string, string>,
  answers: readonly { readonly question: string; readonly answer: string }[],
): Promise<Typed> {
  const line = [process.execPath, COMMAND, ...args].map(quoted).join(' ');
  const child = spawn('script', ['-qec', line, '/dev/null'], { env, stdio: ['pipe', 'pipe', 'pipe'] });
  let shown = '';
  let read = 0;
  const waiting = [...answers];
  child.stdout.on('data', (chunk) => {
    shown += chunk;
    const next = waiting[0];
    const at = next === undefined ? -1 : shown.indexOf(next.question, read);
    if (next === undefined || at < 0) return;
    read = at + next.question.length;
    waiting.shift();
    // The terminal has stopped echoing before the question is shown.
    child.stdin.write(`${next.answer}\r`);
  });
  return new Promise((done) => child.once('exit', (code) => done({ code, shown })));
}
