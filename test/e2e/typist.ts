/** Simulated user at a real terminal: a command on a pseudo-terminal, and typed answers to its prompts. */
import { spawn } from 'node:child_process';
import { COMMAND } from './harness.ts';

/** `script` of util-linux allocates a terminal for its command and copies the terminal's output. */
const quoted = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;

export interface Typed {
  readonly code: number | null;
  /** Terminal output. */
  readonly shown: string;
}

export interface TypingOptions {
  /** Terminal width; unset if absent. */
  readonly columns?: number;
  /** Working directory; by default the current one. */
  readonly cwd?: string;
  /** Wraps the command line in the shell: `| head -1`, for example. */
  readonly shell?: (line: string) => string;
}

/** Answer typed after some output; control characters are passed unchanged. */
export interface Answer {
  readonly question: string;
  readonly answer: string;
  /** Typed without Enter. */
  readonly bare?: boolean;
}

/** Ctrl-C and Ctrl-D. */
export const CTRL_C = '\u0003';
export const CTRL_D = '\u0004';
/** Arrow down: selects the next choice. */
export const DOWN = '\u001b[B';

/** Removes answered prompts, which are printed once more with their answers. */
const dropAnswered = (shown: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a terminal shows colours by them
  shown.replace(/[◇■][^\n]*(\r?\n(\u001b\[\d+m)*│[^\n]*)*/g, '');

/** Returns the answer to a prompt in the output since the last answer, if any. */
export type Replies = (unread: string) => Answer | undefined | Promise<Answer | undefined>;

/** Runs a subcommand and types each answer when its prompt appears: in order, or by `answers`. */
export function typeInto(
  args: readonly string[],
  env: Record<string, string>,
  answers: readonly Answer[] | Replies = [],
  { columns, cwd, shell = (line) => `exec ${line}` }: TypingOptions = {},
): Promise<Typed> {
  const command = shell([process.execPath, COMMAND, ...args].map(quoted).join(' '));
  const line = columns === undefined ? command : `stty cols ${columns} rows 24; ${command}`;
  const child = spawn('script', ['-qec', line, '/dev/null'], { cwd, env, stdio: ['pipe', 'pipe', 'pipe'] });
  let shown = '';
  let read = 0;
  const waiting = typeof answers === 'function' ? [] : [...answers];
  const reply: Replies =
    typeof answers === 'function'
      ? answers
      : (unread) => (unread.includes(waiting[0]?.question ?? '\0') ? waiting.shift() : undefined);
  const answerNext = async (): Promise<void> => {
    const next = await reply(dropAnswered(shown.slice(read)));
    if (next === undefined) return;
    read = shown.lastIndexOf(next.question) + next.question.length;
    // Echo is disabled before the prompt is printed.
    child.stdin.write(next.bare === true ? next.answer : `${next.answer}\r`);
  };
  let answered = Promise.resolve();
  return new Promise((done, fail) => {
    child.stdout.on('data', (chunk) => {
      shown += chunk;
      answered = answered.then(answerNext);
      answered.catch((error) => {
        child.kill();
        fail(error);
      });
    });
    child.once('exit', (code) => done({ code, shown }));
  });
}

/** Widest label before a word; a longer word after it is broken by any terminal. */
const LABEL = 21;

/** Removes colours and cursor movements. */
export const plain = (shown: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a terminal shows colours by them
  shown.replace(/\u001b\[[\d;?]*[A-Za-z]/g, '');

/** Returns the output lines without colours. */
export const linesOf = (shown: string): string[] =>
  // Rewrites of a line in place.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a terminal moves its cursor by them
  plain(shown.replace(/\u001b\[(2K|1?G|999D)/g, '\r'))
    .split(/\r*\n/)
    .map((line) => line.slice(line.lastIndexOf('\r') + 1).trimEnd());

/** Returns lines broken by the terminal that could have been broken between words. */
export const brokenIn = (shown: string, columns: number): string[] =>
  linesOf(shown).filter((line) => {
    // Configuration is printed verbatim for copying.
    if (line.length <= columns || /^ *[+-]? *["{}[\]]/.test(line)) return false;
    const start = line.lastIndexOf(' ', columns) + 1;
    const [word = ''] = line.slice(start).split(' ');
    return word.length <= columns - LABEL || start > LABEL;
  });
