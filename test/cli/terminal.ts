/** A person at a terminal, for tests: what they see, and what they type when asked. */
import type { Command, CommandInput, OptionValues } from '../../src/cli/command.ts';
import { SetupError } from '../../src/runtime/backends/backend.ts';
import type { Environment } from '../../src/secrets/home.ts';

export interface Ran {
  /** The exit code, or what was thrown. */
  readonly code: number | undefined;
  readonly error: unknown;
  /** Standard output. */
  readonly out: string;
  /** Standard error: what the person was told. */
  readonly told: string;
  /** The questions that were asked, with `(hidden)` where nothing echoes. */
  readonly asked: readonly string[];
}

export interface RunOptions {
  readonly home: string;
  readonly words?: readonly string[];
  readonly options?: OptionValues;
  readonly env?: Environment;
  /** What the person types, in order. Absent: there is no terminal to answer at. */
  readonly typed?: readonly string[];
  /** Width of the terminal. */
  readonly columns?: number;
}

/** Runs a command as `countersign` would. */
export async function run(command: Command, options: RunOptions): Promise<Ran> {
  const { home, words = [], env = {}, typed, columns } = options;
  const out: string[] = [];
  const told: string[] = [];
  const asked: string[] = [];
  const answers = [...(typed ?? [])];
  const input: CommandInput = {
    words,
    options: options.options ?? {},
    home,
    env,
    script: 'countersign',
    terminal: {
      print: (line) => void out.push(line),
      tell: (line) => void told.push(line),
      interactive: typed !== undefined,
      columns,
      ask: async (question, { secret = false, or = '' } = {}) => {
        if (typed === undefined)
          throw new SetupError(`This asks "${question}", and there is no terminal to answer at.`, or);
        asked.push(`${question}${secret ? ' (hidden)' : ''}`);
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
  return { code, error, out: out.join('\n'), told: told.join('\n'), asked };
}
