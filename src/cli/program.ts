/** The command line parser of all subcommands, and its help. */
import { Command, CommanderError, Help, Option } from 'commander';
import { COMMANDS, type CommandSpec } from './commands.ts';
import { columnsFor, fitted, table, wrap } from './layout.ts';
import {
  CONNECTION,
  GLOBAL,
  MORE_SETTINGS,
  OF_SERVE,
  OPTIONS,
  SETTINGS,
  type TypedValues,
} from './options.ts';

interface Output {
  write(text: string): unknown;
  readonly columns?: number | undefined;
}
/** Streams for help and errors. */
interface Streams {
  readonly stdout: Output;
  readonly stderr: Output;
}
type Run = (command: string, words: readonly string[], typed: TypedValues) => Promise<void> | void;

const SERVE: Omit<CommandSpec, 'load'> = {
  group: 'First',
  what: 'the MCP server, on stdio or HTTP; clients start it',
  words: 0,
  takes: OF_SERVE,
};

/** Builds the command line parser; `run` receives the typed command. */
export function createProgram(version: string, { stdout, stderr }: Streams, run: Run): Command {
  const program = new Command('countersign')
    .usage('COMMAND [options]')
    .version(version, '--version', 'print the version')
    .helpOption('-h, --help', 'print this')
    .exitOverride()
    .configureHelp({ showGlobalOptions: true, minWidthToWrap: 20 })
    .configureOutput({
      writeOut: (text) => void stdout.write(text),
      writeErr: (text) => {
        const lines = text.trimEnd().split('\n');
        for (const line of lines.flatMap((each) => fitted(each, stderr.columns))) stderr.write(`${line}\n`);
      },
      getOutHelpWidth: () => columnsFor(stdout.columns),
      getErrHelpWidth: () => columnsFor(stderr.columns),
      outputError: (text, write) => write(shownError(text)),
    })
    .showHelpAfterError('`countersign help` lists the commands; options follow their command.');
  for (const name of GLOBAL) program.addOption(optionOf(name));
  for (const [name, spec] of Object.entries({ ...COMMANDS, serve: SERVE })) {
    const command = program
      .command(name)
      .description(spec.what)
      .helpGroup(spec.group)
      .usage(`${spec.usage ?? ''} [options]`.trim())
      .showHelpAfterError(`\`countersign ${name} --help\` lists what it takes.`)
      .addHelpText('after', '\n`countersign help` lists every command.');
    if (name === 'settings') command.addHelpText('after', () => settingsHelp(columnsFor(stdout.columns)));
    const isMany = spec.words === Number.POSITIVE_INFINITY;
    for (let index = 1; index <= (isMany ? 0 : spec.words); index++) command.argument(`[word${index}]`);
    if (isMany) command.argument('[words...]');
    for (const option of new Set([...spec.takes, ...CONNECTION]))
      command.addOption(optionOf(option).hideHelp(!spec.takes.includes(option)));
    command.action(() => {
      const options = [...program.options, ...command.options].map((option) => option.attributeName());
      const values: Record<string, TypedValues[string]> = command.optsWithGlobals();
      const typed = options.map((key) => [kebab(key), values[key]]);
      return run(name, command.args, Object.fromEntries(typed));
    });
  }
  program.configureHelp({
    formatItemList,
    subcommandTerm: (command) => command.name(),
    visibleOptions: () => [],
    minWidthToWrap: 20,
  });
  return program.addHelpText('after', () => ['', '', ...wrap(AFTER, columnsFor(stdout.columns))].join('\n'));
}

const AFTER =
  '`countersign COMMAND --help` prints the options of a command. Every command accepts --home DIR, --live, --sandbox and --set NAME=VALUE (`countersign help settings`). An environment variable COUNTERSIGN_<NAME> stands for each option and setting.';

const kebab = (name: string): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

function optionOf(name: string): Option {
  const { value, what, choices } = OPTIONS[name] ?? { what: '' };
  const option = new Option(`--${name}${value === undefined ? '' : ` <${value}>`}`, what);
  if (choices !== undefined) option.choices(choices);
  if (name === 'set') option.argParser((each, before: string[] = []) => [...before, each]);
  return option;
}

/** Returns a parser error without an accidentally pasted key and without setting values. */
function shownError(text: string): string {
  const [, name = ''] = /^error: unknown option '--([\w-]+)/.exec(text) ?? [];
  if (Object.hasOwn(MORE_SETTINGS, name))
    return `error: --${name} is a setting, not an option\nUse \`--set ${name}=VALUE\`${SETTINGS.includes(name) ? `, or \`countersign settings ${name} VALUE\` for good` : ''}.`;
  return /[\w-]{25}|'--[^'<]*=/.test(text) ? 'error: there is no such command or option' : text;
}

/** Formats each group after the first in one line, so that all commands fit one screen. */
function formatItemList(heading: string, items: string[], helper: Help): string[] {
  if (items.length === 0 || heading === 'Commands:') return [];
  if (heading === 'First') return new Help().formatItemList('Commands:', items, helper);
  const names = items.map((item) => item.trim().split(' ', 1)[0]).join(', ');
  return [helper.formatItem(`${heading}:`, 10, names, helper)];
}

const settingsHelp = (columns: number): string => {
  const rows = Object.entries({ ...OPTIONS, ...MORE_SETTINGS })
    .filter(([each]) => SETTINGS.includes(each) || Object.hasOwn(MORE_SETTINGS, each))
    .map(([each, { value = 'true|false', what: of }]) => [`  ${each} ${value}`, of]);
  return ['\nSettings:', ...table([['  mode live|sandbox', 'the mode of the home'], ...rows], columns)].join(
    '\n',
  );
};

/** Returns the parser's exit code; `undefined` for any other error. */
export const exitCodeOf = (error: unknown): number | undefined =>
  error instanceof CommanderError ? (error.exitCode === 0 ? 0 : 2) : undefined;
