/**
 * The `countersign` command: reads the command line and runs one subcommand. `serve` is the start path and is here
 * at once; every other subcommand is loaded when it is asked for.
 */
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { version } from '../../package.json';
import { homePath } from '../base/homePath.ts';
import { CONNECTION, type CommandLine, GLOBAL, OF_SERVE, readCommandLine, UsageError } from './options.ts';
import { serve } from './serve.ts';

/**
 * Runs the command line. Sets the exit code; `serve` keeps running until its client is gone. Resolves with whether it
 * serves: the bytecode of a server's start is the one worth keeping.
 */
export async function main(process: NodeJS.Process): Promise<boolean> {
  try {
    const argv = process.argv.slice(2);
    let line = readCommandLine(argv, process.env);
    const { help, version: asksVersion } = line.options;
    if (line.command !== 'serve' || help === true || asksVersion === true) endWithReader(process);
    if (asksVersion === true) {
      process.stdout.write(`${version}\n`);
      return false;
    }
    if (help === true || line.command === 'help') {
      const [{ commandHelp, usage }, { COMMANDS }] = await Promise.all([
        import('./help.ts'),
        import('./commands.ts'),
      ]);
      const [name = ''] = line.command === 'help' || line.isBare ? line.words : [line.command];
      const named = name === 'serve' || Object.hasOwn(COMMANDS, name);
      if (name !== '' && !named) throw noSuch(name, COMMANDS);
      const { columns } = process.stdout;
      process.stdout.write(named ? commandHelp(name, COMMANDS, columns) : usage(version, COMMANDS, columns));
      return false;
    }
    const home = await homeOf(line, process);
    // A home without settings is not kept waiting for their reader.
    if (existsSync(join(home, 'settings.json'))) {
      const { readSettings } = await import('./settings.ts');
      line = readCommandLine(argv, process.env, readSettings(home));
    }
    const isAttended = process.stdin.isTTY && line.options.http !== true;
    if (line.command === 'serve' && !(isAttended && process.stdout.isTTY && line.isBare)) {
      requireTaken(line, OF_SERVE, 0);
      if (isAttended) process.stderr.write(ATTENDED);
      serve(line, version, process);
      return true;
    }
    process.exitCode = await run(line, process, home);
  } catch (error) {
    const { message, hint } = await shown(await withNearest(error));
    const { fitted } = await import('./layout.ts');
    for (const line of [message, ...(hint === undefined ? [] : [hint])]) {
      for (const part of fitted(line, process.stderr.columns)) process.stderr.write(`${part}\n`);
    }
    process.exitCode = error instanceof UsageError ? 2 : 1;
  }
  return false;
}

/** What a shell shows for a process that died because its reader was gone: 128 and SIGPIPE. */
const READER_GONE = 141;

/** A command whose output goes to a reader that left (`| head -1`) ends there, without a message. */
function endWithReader(process: NodeJS.Process): void {
  let ending = false;
  const end = (error: NodeJS.ErrnoException) => {
    if (ending) return;
    ending = true;
    const code = error.code === 'EPIPE' ? READER_GONE : 1;
    void import('./ending.ts').then(({ cleanUpEarly }) => cleanUpEarly()).finally(() => process.exit(code));
  };
  process.stdout.on('error', end);
  process.stderr.on('error', end);
}

/** Names the unknown word only where it is short: a key pasted by mistake is not printed. */
const noSuch = (typed: string, commands: object): UsageError => {
  const isShort = /^[\w-]{1,20}$/.test(typed);
  return new UsageError(
    isShort ? `There is no subcommand "${typed}".` : 'There is no such subcommand.',
    'Run `countersign help` to see them.',
    ...(isShort ? [{ typed, names: ['serve', ...Object.keys(commands)] }] : []),
  );
};

/** Every option and word is used, or refused; the connection of the home may be overridden for any command. */
function requireTaken({ command, typed, words }: CommandLine, takes: readonly string[], most: number): void {
  const unused = typed.find((name) => ![...takes, ...GLOBAL, ...CONNECTION].includes(name));
  const hint = `\`countersign ${command} --help\` lists what it takes.`;
  if (unused !== undefined) throw new UsageError(`\`${command}\` does not take --${unused}.`, hint);
  if (words.length > most) throw new UsageError(`\`${command}\` takes fewer words.`, hint);
}

/** Adds the nearest known name to a mistake that is likely a slip of the finger. */
async function withNearest(error: unknown): Promise<unknown> {
  if (!(error instanceof UsageError) || error.unknown === undefined) return error;
  const { meantName } = await import('./init/asking.ts');
  const meant = meantName(error.unknown.names, error.unknown.typed);
  return meant === undefined
    ? error
    : new UsageError(error.message, `Did you mean "${meant}"? ${error.hint}`);
}

/** What `serve` says to a person in a terminal. */
const ATTENDED =
  'countersign: waits for an MCP client on standard input. Clients start it by\ncountersign: themselves (`countersign setup`). Ctrl-C ends it.\n';

async function homeOf({ options }: CommandLine, { env, platform }: NodeJS.Process): Promise<string> {
  const option = typeof options.home === 'string' ? options.home : undefined;
  const parameters = { option, env, platform, userHome: homedir() };
  return homePath(parameters) ?? (await import('../secrets/home.ts')).resolveHome(parameters);
}

async function run(line: CommandLine, process: NodeJS.Process, home: string): Promise<number> {
  const { command: named, words, options, saved } = line;
  // `serve` comes here where a person typed no command at all.
  const command = named === 'serve' ? 'status' : named;
  const { COMMANDS } = await import('./commands.ts');
  const found = Object.hasOwn(COMMANDS, command) ? COMMANDS[command] : undefined;
  if (found === undefined) throw noSuch(command, COMMANDS);
  requireTaken({ ...line, command }, found.takes, found.words);
  const { env, argv } = process;
  const [{ createTerminal }, { redactedTerminal, surroundings }] = await Promise.all([
    import('./terminal.ts'),
    import('./redactedTerminal.ts'),
  ]);
  const execute = await found.load();
  const redactor = surroundings(options, env);
  const terminal = createTerminal();
  try {
    return await execute({
      words,
      options,
      home,
      saved,
      env,
      // The sandbox prints the throw-away key and login it made.
      terminal: command === 'sandbox' ? terminal : redactedTerminal(terminal, redactor),
      script: argv[1] ?? 'countersign',
    });
  } catch (error) {
    const { message, hint } = await shown(error);
    terminal.tell(redactor.redact(message));
    if (hint !== undefined) terminal.tell(redactor.redact(hint));
    return error instanceof UsageError ? 2 : 1;
  }
}

/** Errors made here say what to do, and so does one of the file system; others are shown as they are. */
async function shown(error: unknown): Promise<{ message: string; hint: string | undefined }> {
  if (!(error instanceof Error)) return { message: String(error), hint: undefined };
  const hint: unknown = 'hint' in error ? error.hint : undefined;
  if (typeof hint === 'string') return { message: error.message, hint };
  const { fileErrorWords } = await import('../base/systemErrors.ts');
  return fileErrorWords(error) ?? { message: error.message, hint: undefined };
}
