/** Parses a command line and renders help without running a command. */

import { type OptionValues, readServeLine, resolveOptions } from '../../src/cli/options.ts';
import { createProgram } from '../../src/cli/program.ts';

export interface CommandLine {
  readonly command: string;
  readonly words: readonly string[];
  readonly options: OptionValues;
}

const programOf = (columns: number, run: Parameters<typeof createProgram>[2]) =>
  createProgram('1.0.0', { stdout: { write: () => true, columns }, stderr: { write: () => true } }, run);

/** Throws a `CommanderError` or a `UsageError` for a mistake. */
export function readCommandLine(
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  saved: OptionValues = {},
): CommandLine {
  const line = readServeLine(argv);
  if (line !== undefined)
    return { command: 'serve', words: [], options: resolveOptions(line.typed, env, saved) };
  const read: CommandLine[] = [];
  programOf(80, (command, words, typed) => {
    read.push({ command, words, options: resolveOptions(typed, env, saved) });
  }).parse([...argv], { from: 'user' });
  const [first] = read;
  if (first === undefined) throw new Error(`no command: ${argv.join(' ')}`);
  return first;
}

/** Returns the help of a command, or the list of all. */
export function helpOf(name: string | undefined, columns: number): string {
  const program = programOf(columns, () => undefined);
  const command = name === undefined ? program : program.commands.find((each) => each.name() === name);
  const help: string[] = [];
  command?.configureOutput({ writeOut: (text) => void help.push(text) }).outputHelp();
  return help.join('');
}
