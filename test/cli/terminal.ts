/** Simulated user at a terminal, for tests: output shown and answers typed. */
import type { Command, CommandInput, OptionValues } from '../../src/cli/command.ts';
import { SetupError } from '../../src/runtime/backends/backend.ts';
import type { Environment } from '../../src/secrets/home.ts';

export interface Ran {
  /** Exit code; absent if the command threw. */
  readonly code: number | undefined;
  readonly error: unknown;
  /** Standard output. */
  readonly out: string;
  /** Standard error. */
  readonly err: string;
  /** Prompts, with `(hidden)` where input is not echoed. */
  readonly prompts: readonly string[];
}

export interface RunOptions {
  readonly home: string;
  readonly words?: readonly string[];
  readonly options?: OptionValues;
  readonly env?: Environment;
  /** Answers in order. Absent: no terminal. */
  readonly typed?: readonly string[];
  /** Width of the terminal. */
  readonly columns?: number;
}

/** Runs a command as `countersign` does. */
export async function run(command: Command, options: RunOptions): Promise<Ran> {
  const { home, words = [], env = {}, typed, columns } = options;
  const out: string[] = [];
  const err: string[] = [];
  const prompts: string[] = [];
  const answers = [...(typed ?? [])];
  const input: CommandInput = {
    words,
    options: options.options ?? {},
    home,
    env,
    script: 'countersign',
    terminal: {
      print: (line) => void out.push(line),
      tell: (line) => void err.push(line),
      interactive: typed !== undefined,
      columns,
      ask: async (question, { secret = false, or = '' } = {}) => {
        if (typed === undefined)
          throw new SetupError(`This asks "${question}", and there is no terminal to answer at.`, or);
        prompts.push(`${question}${secret ? ' (hidden)' : ''}`);
        return answers.shift() ?? '';
      },
    },
  };
  let code: number | undefined;
  let error: unknown;
  try {
    code = await command(input);
  } catch (thrown) {
    error = thrown;
  }
  return { code, error, out: out.join('\n'), err: err.join('\n'), prompts };
}
