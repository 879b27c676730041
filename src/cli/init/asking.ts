/** Questions of a guided command: an invalid answer is explained and asked again; a given option is not asked for. */
import { errorWords } from '../../base/systemErrors.ts';
import { SetupError } from '../../runtime/backends/backend.ts';
import { type CommandInput, textOption } from '../command.ts';
import { NoAnswer } from '../terminal.ts';

/** Maximum number of attempts per question. */
const MAX_TRIES = 4;

export interface Question<T> {
  /** The option that answers it. */
  readonly option: string;
  readonly text: string;
  /** The default for Enter and `--yes`. */
  readonly usual?: string;
  /** The permitted answers with their meanings. */
  readonly choices?: Readonly<Record<string, string>>;
  /** Parses an answer, or throws a `SetupError` with its problem. */
  readonly read: (answer: string) => T | Promise<T>;
}

/** Returns the value of an option, of the default with `--yes`, or of the first valid answer. */
export async function askFor<T>(input: CommandInput, question: Question<T>): Promise<T> {
  const { options, terminal } = input;
  const { option, text, usual, choices, read } = question;
  const given = textOption(options, option) ?? (options.yes === true ? usual : undefined);
  if (given !== undefined) return read(given);
  if (options.yes === true) throw new SetupError(`--yes needs --${option}.`, `Pass \`--${option}\`.`);
  return retryInput(input, async () => {
    const answer = (
      await terminal.ask(text, { or: `Pass \`--${option}\`.`, ...(choices && { choices }) })
    ).trim();
    return read(answer === '' && usual !== undefined ? usual : answer);
  });
}

/** Repeats a step the user can correct, with the error message. Without a terminal the first error ends it. */
export async function retryInput<T>({ terminal }: CommandInput, step: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await step();
    } catch (error) {
      if (!(error instanceof Error) || !terminal.interactive || tries === MAX_TRIES) throw error;
      if (error instanceof NoAnswer) throw error;
      const { message, hint } = errorWords(error);
      terminal.tell(message);
      if (hint !== undefined) terminal.tell(hint);
    }
  }
}

/** Parses one of the given names. Throws a `SetupError` for any other word. */
export function nameOf<T extends string>(names: readonly T[], typed: string, what: string): T {
  const name = names.find((each) => each === typed);
  if (name !== undefined) return name;
  throw new SetupError(`There is no such ${what}.`, `Choose one of: ${names.join(', ')}.`);
}
