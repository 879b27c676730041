/** What `countersign help` and `countersign COMMAND --help` print, laid out for the terminal. */
import type { CommandSpec } from './commands.ts';
import { columnsFor, table, wrap } from './layout.ts';
import { GLOBAL, MORE_SETTINGS, OF_SERVE, OPTIONS, SETTINGS } from './options.ts';

type Commands = Readonly<Record<string, Pick<CommandSpec, 'group' | 'what' | 'takes'>>>;

const SERVE = 'the MCP server, on stdio or HTTP; clients start it';
/** Commands by themselves in the usage, one a line. */
const FIRST: readonly string[] = ['init', 'status', 'doctor', 'setup', 'settings', 'demo', 'sandbox'];

/** Options as `--name VALUE  what`, in the order they are declared. */
function optionLines(names: readonly string[], columns: number): string[] {
  const rows = Object.entries(OPTIONS)
    .filter(([name]) => names.includes(name))
    .map(([name, { value, what }]) => [`  --${name}${value === undefined ? '' : ` ${value}`}`, what]);
  return table(rows, columns);
}

/** All commands in groups, in one screen. `width` is that of the terminal, where it is one. */
export function usage(version: string, commands: Commands, width: number | undefined): string {
  const columns = columnsFor(width);
  const groups = [...new Set(Object.values(commands).map(({ group }) => group))].slice(1);
  const named = (of: string) =>
    Object.entries(commands).flatMap(([name, { group }]) => (group === of ? [name] : []));
  const rows = [
    ...FIRST.map((name) => [`  ${name}`, commands[name]?.what ?? '']),
    ['  serve', SERVE],
    ...groups.map((group) => [`  ${group}:`, named(group).join(', ')]),
  ];
  return lines([
    `countersign ${version}`,
    '',
    ...table(rows, columns),
    '',
    ...wrap(
      '`countersign COMMAND --help` prints the options of a command. Every command accepts --home DIR, --live, --sandbox and --set NAME=VALUE (`countersign help settings`). An environment variable COUNTERSIGN_<NAME> stands for each option and setting.',
      columns,
    ),
  ]);
}

/** One command and its options; with `settings` also every setting. */
export function commandHelp(name: string, commands: Commands, width: number | undefined): string {
  const columns = columnsFor(width);
  const { what, takes } = commands[name] ?? { what: SERVE, takes: OF_SERVE };
  const rows = Object.entries({ ...OPTIONS, ...MORE_SETTINGS })
    .filter(([each]) => SETTINGS.includes(each) || Object.hasOwn(MORE_SETTINGS, each))
    .map(([each, { value = 'true|false', what: of }]) => [`  ${each} ${value}`, of]);
  return lines([
    ...wrap(what, columns, `countersign ${name}  `),
    '',
    ...optionLines([...takes, ...GLOBAL.filter((each) => each !== 'version')], columns),
    ...(name === 'settings'
      ? ['', 'Settings:', ...table([['  mode live|sandbox', 'the mode of the home'], ...rows], columns)]
      : []),
    '',
    ...wrap(
      '`countersign help` lists every command; docs/commands.md of the package explains them.',
      columns,
    ),
  ]);
}

const lines = (all: readonly string[]): string => all.map((line) => `${line}\n`).join('');
