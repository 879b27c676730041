/** The terminal of a command: output, questions to a person, and input of secrets without echo. */
import { SetupError } from '../runtime/backends/backend.ts';
import type { PassphrasePrompt } from '../secrets/stores/fileStore.ts';
import { fitted } from './layout.ts';

export interface Terminal {
  /** Prints results to standard output. */
  print(line: string): void;
  /** Prints everything else to standard error; wrapped at words if that is a terminal. */
  tell(line: string): void;
  /** Whether a user can answer questions. */
  readonly interactive: boolean;
  /** Width of standard output, if it is a terminal. */
  readonly columns?: number | undefined;
  /** Asks the user. Throws `SetupError` without a terminal. */
  ask(question: string, options?: AskOptions): Promise<string>;
}

export interface AskOptions {
  /** Hides the typed text. */
  readonly secret?: boolean;
  /** Hint if there is no terminal. */
  readonly or?: string;
  /** The permitted answers with their meanings; Enter chooses the first. */
  readonly choices?: Readonly<Record<string, string>>;
}

export function createTerminal(
  streams: { in: NodeJS.ReadStream; out: NodeJS.WriteStream; err: NodeJS.WriteStream } = {
    in: process.stdin,
    out: process.stdout,
    err: process.stderr,
  },
): Terminal {
  const interactive = streams.in.isTTY === true;
  const tell = (text: string): void => {
    for (const line of plain(text).split('\n')) {
      for (const part of fitted(line, streams.err.columns)) streams.err.write(`${part}\n`);
    }
  };
  return {
    print: (line) => void streams.out.write(`${plain(line)}\n`),
    tell,
    interactive,
    columns: streams.out.columns || undefined,
    ask: async (question, options = {}) => {
      if (interactive) return answerTo(question, options, streams);
      throw new SetupError(
        `This asks "${question}", and there is no terminal to answer at.`,
        options.or ?? 'Run it in a terminal.',
      );
    },
  };
}

/** Removes control and bidirectional control characters, from text of any source; keeps line ends and tabs. */
const plain = (text: string): string => text.replace(/[^\P{Cc}\t\n\r]|\r(?!\n)|\p{Bidi_Control}/gu, '');

/** Error: the user ended the input without answering. */
export class NoAnswer extends SetupError {
  constructor() {
    super('Nothing was answered.', 'Run the command again.');
  }
}

/** Returns the user's answer. Ctrl-C ends the command as usual; Ctrl-D and Escape are no answer. */
async function answerTo(
  question: string,
  { secret = false, choices = {} }: AskOptions,
  { in: input, err: output }: { in: NodeJS.ReadStream; err: NodeJS.WriteStream },
): Promise<string> {
  const { isCancel, password, S_BAR, select, text } = await import('@clack/prompts');
  // Zero for a terminal that does not report its width.
  const { columns } = output;
  output.columns ||= 80;
  const ended = new AbortController();
  let isInterrupted = false;
  const end = () => ended.abort();
  const onKey = (_: unknown, { ctrl, name }: { ctrl?: boolean; name?: string }) => {
    isInterrupted = ctrl === true && name === 'c';
    if (ctrl === true && name === 'd') end();
  };
  input.on('keypress', onKey).once('end', end);
  try {
    const message = fitted(question, output.columns - 3).join(`\n${S_BAR}  `);
    const shared = { message, input, output, signal: ended.signal };
    const options = Object.entries(choices).map(([value, what]) => ({ value, label: `${value}: ${what}` }));
    const answer = await (options.length > 0
      ? select({ ...shared, options })
      : secret
        ? password({ ...shared, mask: '' })
        : text(shared));
    if (!isCancel(answer)) return answer ?? '';
  } finally {
    input.off('keypress', onKey).off('end', end);
    output.columns = columns;
  }
  if (!isInterrupted) throw new NoAnswer();
  process.kill(process.pid, 'SIGINT');
  return new Promise(() => undefined);
}

/** Asks for the passphrase of the encrypted file; twice if it is new. */
export const passphrasePrompt =
  (terminal: Terminal): PassphrasePrompt =>
  async (purpose) => {
    const or = 'Set COUNTERSIGN_PASSPHRASE.';
    const first = await terminal.ask('Passphrase of the secret file:', { secret: true, or });
    if (purpose === 'open') return first;
    const second = await terminal.ask('The same again:', { secret: true, or });
    if (first !== second) throw new SetupError('The two passphrases differ.', 'Type the same one twice.');
    return first;
  };
