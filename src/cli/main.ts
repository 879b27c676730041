/**
 * The `countersign` command: parses the command line and runs one subcommand. `serve`, the start path, is imported
 * directly; other subcommands are loaded when called.
 */
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { version } from '../../package.json';
import { homePath } from '../base/homePath.ts';
import type { OptionValues } from './command.ts';
import { readServeLine, resolveOptions, type TypedValues, UsageError } from './options.ts';
import { serve } from './serve.ts';

/**
 * Runs the command line and sets the exit code; `serve` keeps running until its client disconnects. Resolves with
 * whether it serves: only the bytecode of a server start is worth caching.
 */
export async function main(process: NodeJS.Process): Promise<boolean> {
  let isServing = false;
  const startServer = (options: OptionValues): void => {
    if (process.stdin.isTTY && options.http !== true) process.stderr.write(ATTENDED);
    serve(options, version, process);
    isServing = true;
  };
  try {
    let argv = process.argv.slice(2);
    const line = readServeLine(argv);
    if (line !== undefined) {
      const { options } = await settle(line.typed, process);
      const isPerson = process.stdin.isTTY && process.stdout.isTTY && options.http !== true;
      if (!line.isBare || !isPerson) {
        startServer(options);
        return true;
      }
      argv = ['status', ...argv];
    }
    endWithReader(process);
    const { createProgram } = await import('./program.ts');
    const program = createProgram(version, process, async (command, words, typed) => {
      if (command === 'serve') startServer((await settle(typed, process)).options);
      else process.exitCode = await run(command, words, await settle(typed, process), process);
    });
    await program.parseAsync(argv, { from: 'user' });
  } catch (error) {
    await end(error, process);
  }
  return isServing;
}

/** Sets the exit code for an error and shows it, unless the command line parser has. */
async function end(error: unknown, process: NodeJS.Process): Promise<void> {
  const parserCode = (await import('./program.ts')).exitCodeOf(error);
  process.exitCode = parserCode ?? (error instanceof UsageError ? 2 : 1);
  if (parserCode !== undefined) return;
  const [{ fitted }, { errorWords }] = await Promise.all([
    import('./layout.ts'),
    import('../base/systemErrors.ts'),
  ]);
  const { message, hint } = errorWords(error);
  for (const text of [message, ...(hint === undefined ? [] : [hint])])
    for (const part of fitted(text, process.stderr.columns)) process.stderr.write(`${part}\n`);
}

/** Exit code of a shell for a process ended by a closed pipe: 128 and SIGPIPE. */
const READER_GONE = 141;

/** Ends a command silently when the reader of its output has left (`| head -1`). */
function endWithReader(process: NodeJS.Process): void {
  let ending = false;
  const end = (error: NodeJS.ErrnoException) => {
    if (ending) return;
    ending = true;
    const code = error.code === 'EPIPE' ? READER_GONE : 1;
    void import('./earlyExit.ts')
      .then(({ cleanUpEarly }) => cleanUpEarly())
      .finally(() => process.exit(code));
  };
  process.stdout.on('error', end);
  process.stderr.on('error', end);
}

/** Text of `serve` started in a terminal. */
const ATTENDED = `countersign: waits for an MCP client on standard input.
countersign: clients start it (\`countersign setup\`).
countersign: Ctrl-C ends it.
`;

interface Settled {
  readonly options: OptionValues;
  /** Absolute path of the home folder. */
  readonly home: string;
  /** The settings of the home. */
  readonly saved: OptionValues;
}

/** Completes typed options with the environment and the settings of the home. */
async function settle(typed: TypedValues, { env, platform }: NodeJS.Process): Promise<Settled> {
  const options = resolveOptions(typed, env);
  const option = typeof options.home === 'string' ? options.home : undefined;
  const parameters = { option, env, platform, userHome: homedir() };
  const home = homePath(parameters) ?? (await import('../secrets/home.ts')).resolveHome(parameters);
  // Loads the settings reader only if there are settings.
  if (!existsSync(join(home, 'settings.json'))) return { options, home, saved: {} };
  const saved = (await import('./settings.ts')).readSettings(home);
  return { options: resolveOptions(typed, env, saved), home, saved };
}

async function run(
  command: string,
  words: readonly string[],
  { options, home, saved }: Settled,
  { env, argv, stdin, stdout, stderr }: NodeJS.Process,
): Promise<number> {
  const [{ COMMANDS }, { createTerminal }, { redactedTerminal, surroundings }] = await Promise.all([
    import('./commands.ts'),
    import('./terminal.ts'),
    import('./redactedTerminal.ts'),
  ]);
  const redactor = surroundings(options, env);
  const terminal = createTerminal({ in: stdin, out: stdout, err: stderr });
  try {
    const execute = await COMMANDS[command]?.load();
    if (execute === undefined) return 2;
    return await execute({
      words,
      options,
      home,
      saved,
      env,
      // The sandbox prints its generated key and login.
      terminal: command === 'sandbox' ? terminal : redactedTerminal(terminal, redactor),
      script: argv[1] ?? 'countersign',
    });
  } catch (error) {
    const { message, hint } = (await import('../base/systemErrors.ts')).errorWords(error);
    terminal.tell(redactor.redact(message));
    if (hint !== undefined) terminal.tell(redactor.redact(hint));
    return error instanceof UsageError ? 2 : 1;
  }
}
