/**
 * The `countersign` command: reads the command line and runs one subcommand. `serve` is the start path and is here
 * at once; every other subcommand is loaded when it is asked for.
 */
import { version } from '../../package.json';
import type { Command } from './command.ts';
import { type CommandLine, readCommandLine, UsageError } from './options.ts';
import { serve } from './serve.ts';

/** Subcommands for people, in the order the usage shows them. */
const COMMANDS: Readonly<Record<string, { what: string; load: () => Promise<Command> }>> = {
  demo: {
    what: 'the main job, end to end, in a throw-away sandbox',
    load: async () => {
      const { runDemo } = await import('./demo.ts');
      return async ({ options, script }) => {
        const run = options.attacks === true ? (await import('../attacks/play.ts')).runAttacks : runDemo;
        return run({
          json: options.json === true,
          command: script,
          out: process.stdout,
          now: () => performance.now(),
        });
      };
    },
  },
  sandbox: {
    what: 'the service and its chain alone, on loopback',
    load: async () => (await import('./sandbox.ts')).sandboxCommand,
  },
  init: {
    what: 'from nothing to a working client, step by step',
    load: async () => (await import('./init/init.ts')).initCommand,
  },
  settings: {
    what: '[NAME [VALUE]]: the settings of this home, which options override',
    load: async () => (await import('./setup/settings.ts')).settingsCommand,
  },
  status: {
    what: 'where this home stands and what to do next; `countersign` alone in a terminal',
    load: async () => (await import('./setup/status.ts')).statusCommand,
  },
  wallet: {
    what: 'create | import FILE | list | show | label | default | remove | empty ADDRESS: sends all it holds there',
    load: async () => (await import('./keys/wallet.ts')).walletCommand,
  },
  login: {
    what: 'exchanges a login token for an API key; --page takes it in the browser',
    load: async () => (await import('./keys/login.ts')).loginCommand,
  },
  owner: {
    what: 'create | show: the key behind your approvals',
    load: async () => (await import('./keys/owner.ts')).ownerCommand,
  },
  policy: {
    what: 'init | check | explain | test | diff | accept | schema',
    load: async () => (await import('./policy/policy.ts')).policyCommand,
  },
  principals: {
    what: 'check FILE | accept FILE: the agents a server over HTTP works for',
    load: async () => (await import('./http/principals.ts')).principalsCommand,
  },
  pending: {
    what: '[ID]: what waits for your approval, or how one question ended',
    load: async () => (await import('./approvals/pending.ts')).pendingCommand,
  },
  open: {
    what: 'the approval page of the running server, again',
    load: async () => (await import('./approvals/open.ts')).openCommand,
  },
  notify: {
    what: 'sends a test to each webhook that calls you to questions',
    load: async () => (await import('./approvals/notify.ts')).notifyCommand,
  },
  approve: {
    what: 'ID: shows one question and takes your approval',
    load: async () => (await import('./approvals/approve.ts')).approveCommand,
  },
  deny: {
    what: 'ID: says no, with --reason TEXT for the agent',
    load: async () => (await import('./approvals/deny.ts')).denyCommand,
  },
  plans: {
    what: '[PLAN]: what is known, in doubt and next',
    load: async () => (await import('./records/plans.ts')).plansCommand,
  },
  history: {
    what: 'what happened: when, how much, why, fees',
    load: async () => (await import('./money/history.ts')).historyCommand,
  },
  balance: {
    what: 'SOL and tokens of each wallet, from your RPC',
    load: async () => (await import('./money/balance.ts')).balanceCommand,
  },
  limits: {
    what: 'what is used and left of every limit, and when it frees',
    load: async () => (await import('./money/limits.ts')).limitsCommand,
  },
  export: {
    what: '--csv | --json: every change as rows that add up; decisions: signed by the owner key',
    load: async () => (await import('./money/export.ts')).exportCommand,
  },
  read: {
    what: 'TEXT | FILE | PLAN: what a transaction does; signs nothing',
    load: async () => (await import('./read/read.ts')).readCommand,
  },
  audit: {
    what: 'show | verify | replay: the record of decisions',
    load: async () => (await import('./records/audit.ts')).auditCommand,
  },
  freeze: {
    what: 'stops all signing at once',
    load: async () => (await import('./approvals/freeze.ts')).freezeCommand,
  },
  unfreeze: {
    what: '[PRINCIPAL]: lifts freezes, with the owner key',
    load: async () => (await import('./approvals/unfreeze.ts')).unfreezeCommand,
  },
  secrets: {
    what: 'migrate keychain | file: moves secrets to another store',
    load: async () => (await import('./keys/secrets.ts')).secretsCommand,
  },
  ledger: {
    what: 'accept: begins a new ledger where one was lost',
    load: async () => (await import('./records/ledger.ts')).ledgerCommand,
  },
  backup: {
    what: 'this home as a folder; --move ends signing here',
    load: async () => (await import('./homes/backup.ts')).backupCommand,
  },
  restore: {
    what: 'DIR: a home from a backup',
    load: async () => (await import('./homes/restore.ts')).restoreCommand,
  },
  setup: {
    what: 'client configuration for Claude Desktop, Claude Code, Cursor, VS Code',
    load: async () => (await import('./setup/setup.ts')).setupCommand,
  },
  doctor: {
    what: 'what is configured, and what it would talk to',
    load: async () => (await import('./doctor/doctor.ts')).doctorCommand,
  },
};

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
      const { commandHelp, usage } = await import('./help.ts');
      const [name = ''] = line.command === 'help' ? line.words : [line.command];
      const named = name === 'serve' ? argv.includes('serve') : Object.hasOwn(COMMANDS, name);
      if (name !== '' && name !== 'serve' && !named) throw noSuch(name);
      const { columns } = process.stdout;
      process.stdout.write(named ? commandHelp(name, COMMANDS, columns) : usage(version, COMMANDS, columns));
      return false;
    }
    const home = await homeOf(line, process);
    const { readSettings } = await import('./settings.ts');
    line = readCommandLine(argv, process.env, readSettings(home));
    const isAttended = process.stdin.isTTY && line.options.http !== true;
    if (line.command === 'serve' && !(isAttended && process.stdout.isTTY && !argv.includes('serve'))) {
      if (isAttended) process.stderr.write(ATTENDED);
      serve(line, version, process);
      return true;
    }
    process.exitCode = await run(line, process, home);
  } catch (error) {
    const { message, hint } = await shown(error);
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
const noSuch = (command: string): UsageError =>
  new UsageError(
    /^[\w-]{1,20}$/.test(command) ? `There is no subcommand "${command}".` : 'There is no such subcommand.',
    'Run `countersign help` to see them.',
  );

/** What `serve` says to a person in a terminal. */
const ATTENDED =
  'countersign: waits for an MCP client on standard input. Clients start it by\ncountersign: themselves (`countersign setup`). Ctrl-C ends it.\n';

async function homeOf({ options }: CommandLine, { env, platform }: NodeJS.Process): Promise<string> {
  const [{ resolveHome }, { homedir }] = await Promise.all([import('../secrets/home.ts'), import('node:os')]);
  const option = typeof options.home === 'string' ? options.home : undefined;
  return resolveHome({ option, env, platform, userHome: homedir() });
}

async function run(
  { command: named, words, options, saved }: CommandLine,
  process: NodeJS.Process,
  home: string,
): Promise<number> {
  // `serve` comes here where a person typed no command at all.
  const command = named === 'serve' ? 'status' : named;
  const found = Object.hasOwn(COMMANDS, command) ? COMMANDS[command] : undefined;
  if (found === undefined) throw noSuch(command);
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
