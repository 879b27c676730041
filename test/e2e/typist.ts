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

export interface TypingOptions {
  /** Width of the terminal; without it the terminal does not say. */
  readonly columns?: number;
  /** The folder the command runs in; without it this one. */
  readonly cwd?: string;
  /** What a shell does with the command's line: `| head -1`, for example. */
  readonly shell?: (line: string) => string;
}

/** What a person types when something is shown; control characters reach the terminal as they are. */
export interface Answer {
  readonly question: string;
  readonly answer: string;
  /** Typed without the Enter key behind it. */
  readonly bare?: boolean;
}

/** Ctrl-C and Ctrl-D, as a keyboard sends them. */
export const CTRL_C = '\u0003';
export const CTRL_D = '\u0004';
/** The arrow down, which goes to the next choice. */
export const DOWN = '\u001b[B';

/** What was shown without the questions that are answered already, which are shown once more with their answers. */
const withoutAnswered = (shown: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a terminal shows colours by them
  shown.replace(/[◇■][^\n]*(\r?\n(\u001b\[\d+m)*│[^\n]*)*/g, '');

/** The answer to what the terminal showed since the last one, if that holds a question. */
export type Replies = (unread: string) => Answer | undefined;

/** Runs a subcommand and types each answer as its question appears: in order, or as `answers` replies. */
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
  child.stdout.on('data', (chunk) => {
    shown += chunk;
    const next = reply(withoutAnswered(shown.slice(read)));
    if (next === undefined) return;
    read = shown.lastIndexOf(next.question) + next.question.length;
    // The terminal has stopped echoing before the question is shown.
    child.stdin.write(next.bare === true ? next.answer : `${next.answer}\r`);
  });
  return new Promise((done) => child.once('exit', (code) => done({ code, shown })));
}

/** The widest label in front of a word; a word that does not fit behind it is broken by any terminal. */
const LABEL = 21;

/** Every line the terminal showed, without colours. */
export const linesOf = (shown: string): string[] =>
  shown
    // What is written anew in the same place.
    // biome-ignore lint/suspicious/noControlCharactersInRegex: a terminal moves its cursor by them
    .replace(/\u001b\[(2K|1?G|999D)/g, '\r')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: a terminal shows colours by them
    .replace(/\u001b\[[\d;?]*[A-Za-z]/g, '')
    .split(/\r*\n/)
    .map((line) => line.slice(line.lastIndexOf('\r') + 1).trimEnd());

/** Lines that the terminal had to break, and could have been broken between words. */
export const brokenIn = (shown: string, columns: number): string[] =>
  linesOf(shown).filter((line) => {
    // Configuration is shown as it is written into a file, to be copied.
    if (line.length <= columns || /^ *[+-]? *["{}[\]]/.test(line)) return false;
    const start = line.lastIndexOf(' ', columns) + 1;
    const [word = ''] = line.slice(start).split(' ');
    return word.length <= columns - LABEL || start > LABEL;
  });
