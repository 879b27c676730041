/** The terminal of a command: output, questions to a person, and input of secrets without echo. */
import { createInterface, type Interface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { SetupError } from '../runtime/backends/backend.ts';
import type { PassphrasePrompt } from '../secrets/stores/fileStore.ts';
import { fitted } from './layout.ts';

export interface Terminal {
  /** Results, on standard output. */
  print(line: string): void;
  /** Everything else, on standard error; broken between words where that is a terminal. */
  tell(line: string): void;
  /** True when a person can answer questions. */
  readonly interactive: boolean;
  /** Width of standard output, where it is a terminal. */
  readonly columns?: number | undefined;
  /** Asks; `secret` does not echo. Throws `SetupError` when there is no terminal to answer at. */
  ask(question: string, options?: { secret?: boolean; or?: string }): Promise<string>;
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
    for (const line of text.split('\n')) {
      for (const part of fitted(line, streams.err.columns)) streams.err.write(`${part}\n`);
    }
  };
  return {
    print: (line) => void streams.out.write(`${line}\n`),
    tell,
    interactive,
    columns: streams.out.columns || undefined,
    ask: async (question, { secret = false, or } = {}) => {
      if (!interactive) {
        throw new SetupError(
          `This asks "${question}", and there is no terminal to answer at.`,
          or ?? 'Run it in a terminal.',
        );
      }
      // A question longer than the terminal is wide is told, up to its last line.
      const lines = fitted(`${question} `, streams.err.columns).map((line) => line.trimEnd());
      for (const line of lines.slice(0, -1)) streams.err.write(`${line}\n`);
      const last = lines.at(-1) ?? question;
      const echo = new Writable({
        write: (chunk, _encoding, done) => {
          if (!secret) streams.err.write(chunk);
          done();
        },
      });
      const reader = createInterface({ input: streams.in, output: echo, terminal: true });
      try {
        if (secret) streams.err.write(`${last} `);
        const answer = await answerTo(reader, secret ? '' : `${last} `);
        if (secret) streams.err.write('\n');
        return answer;
      } finally {
        reader.close();
      }
    },
  };
}

/** The person ended the input instead of answering. */
export class NoAnswer extends SetupError {
  constructor() {
    super('Nothing was answered.', 'Run the command again.');
  }
}

/** The line a person types. Ctrl-C ends the command as it would anywhere else, and Ctrl-D is no answer. */
function answerTo(reader: Interface, question: string): Promise<string> {
  return new Promise((resolve, reject) => {
    reader.once('SIGINT', () => {
      reader.close();
      process.kill(process.pid, 'SIGINT');
    });
    reader.once('close', () => reject(new NoAnswer()));
    reader.question(question).then(resolve, reject);
  });
}

/** Asks for the passphrase of the encrypted file; twice when it is new. */
export const passphrasePrompt =
  (terminal: Terminal): PassphrasePrompt =>
  async (purpose) => {
    const or = 'Set COUNTERSIGN_PASSPHRASE.';
    const first = await terminal.ask('Passphrase of the secret file:', { secret: true, or });
    if (purpose === 'open') return first;
    const second = await terminal.ask('The same again:', { secret: true, or });
    if (first !== second) throw new SetupError('The two passphrases differ.', 'Run the command again.');
    return first;
  };
