/**
 * The options of every subcommand, each named once. An option beats its environment variable `COUNTERSIGN_<OPTION>`;
 * secrets have no option at all, since other users can read a command line.
 */
import { parseArgs } from 'node:util';

export type Environment = Readonly<Record<string, string | undefined>>;
export type OptionValues = Readonly<Record<string, string | boolean | undefined>>;

interface OptionSpec {
  readonly type: 'string' | 'boolean';
  /** What the usage shows for its value. */
  readonly value?: string;
  readonly what: string;
}

const text = (value: string, what: string): OptionSpec => ({ type: 'string', value, what });
const flag = (what: string): OptionSpec => ({ type: 'boolean', what });

/** Every option. */
export const OPTIONS: Readonly<Record<string, OptionSpec>> = {
  sandbox: flag('use the embedded sandbox (default)'),
  live: flag('use a real service, chain and wallet'),
  profile: text('contract|bags', 'names and encodings of the service'),
  'root-url': text('URL', 'the service'),
  'rpc-url': text('URL', 'your own RPC'),
  'second-rpc-url': text('URL', 'a second RPC that must agree above a threshold of the policy'),
  policy: text('FILE', 'the signing policy'),
  webhook: text('URL', 'receives a JSON message about each question'),
  home: text('DIR', 'where state lives'),
  ledger: text('URL', 'a PostgreSQL that several hosts share, instead of the file of the home'),
  'secret-store': text('keychain|file|env', 'where secrets live'),
  signer: text('MODULE', 'a module of yours that signs instead of the wallet in the secret store'),
  images: text('DIR', 'folder that local images may be read from'),
  telemetry: text('MODULE', 'a module of yours that registers OpenTelemetry; without it nothing is recorded'),
  explorer: text('URL', 'where transactions link to, with {signature} in it; none for no links'),
  'read-only': flag('serve tools that change nothing'),
  toolsets: text('a,b', 'serve these domains only'),
  http: flag('serve over HTTP instead of stdio'),
  host: text('ADDRESS', 'address that HTTP is served on; default 127.0.0.1'),
  'http-token-file': text('FILE', 'file with the token of the one agent that is served over HTTP'),
  principals: text('FILE', 'the agents that are served over HTTP, and what each may use'),
  issuer: text('URL', 'OAuth issuer whose tokens are accepted'),
  audience: text('URL', "this server's own address in those tokens"),
  json: flag('print JSON'),
  attacks: flag('play the attacks of the threat model'),
  port: text('N', 'port of the sandbox service, or of HTTP (default 8787)'),
  'rpc-port': text('N', 'port of the RPC'),
  seed: text('TEXT', 'makes the sandbox repeatable'),
  hostile: text('NAME', 'an attack the sandbox plays'),
  fault: text('NAME', 'a fault the sandbox plays'),
  clock: text('auto|manual', 'who makes blocks'),
  'slot-ms': text('N', 'milliseconds a block'),
  programs: text('DIR', 'ADDRESS.so files the sandbox runs in place of its stand-ins'),
  import: text('FILE', 'a keypair file to import as the wallet'),
  template: text('NAME', 'observer, creator, trader or sandbox'),
  wallet: text('NAME', 'which wallet: the label of one in this home, or an address'),
  label: text('NAME', 'what a new wallet is called'),
  out: text('FILE', 'where to write'),
  encoding: text('NAME', 'base64 or base58 of a transaction to read'),
  since: text('TIME', 'from a date, an instant, or a length ago such as 7d'),
  until: text('TIME', 'up to a date, an instant, or a length ago'),
  principal: text('NAME', 'decisions of this principal alone'),
  owner: text('KEY', 'public owner key that an export must be signed with'),
  csv: flag('print CSV'),
  limit: text('N', 'how many rows to show or to look at'),
  move: flag('retire this home: what is restored from the backup goes on'),
  'token-file': text('FILE', 'file with the login token'),
  'store-token': flag('store the login token for create_agent_key, which exchanges and deletes it'),
  page: flag('paste the login token into a local page'),
  'wallet-signature': flag("log in with the wallet's signature instead of a token"),
  name: text('NAME', 'name of the API key'),
  client: text('NAME', 'claude-desktop, claude-code, cursor or vscode'),
  write: flag('write the configuration instead of printing it'),
  reason: text('TEXT', 'why you deny it, for the agent'),
  yes: flag('ask nothing'),
  help: flag('print this'),
  version: flag('print the version'),
};

/** Names that `settings.json` of a home may hold; `mode` is `--live` or `--sandbox`. */
export const SETTINGS: readonly string[] = [
  ...[
    'mode',
    'profile',
    'root-url',
    'rpc-url',
    'second-rpc-url',
    'policy',
    'wallet',
    'secret-store',
    'signer',
  ],
  ...['ledger', 'webhook', 'toolsets', 'read-only', 'images', 'explorer', 'telemetry'],
  ...['host', 'http-token-file', 'principals', 'issuer', 'audience'],
];
/** Settings of a live home that mean nothing to a sandbox. */
const OF_LIVE: readonly string[] = SETTINGS.slice(0, 9);

/** A mistake on the command line. `message` says what, `hint` what to do. */
export class UsageError extends Error {
  readonly hint: string;

  constructor(message: string, hint: string) {
    super(message);
    this.name = 'UsageError';
    this.hint = hint;
  }
}

const HELP = 'Run `countersign help`.';
const TRUE = ['1', 'true', 'yes', 'on'];
const FALSE = ['', '0', 'false', 'no', 'off'];

/** The environment variable of an option. */
export const variableOf = (option: string): string =>
  `COUNTERSIGN_${option.toUpperCase().replaceAll('-', '_')}`;

function fromEnvironment(name: string, spec: OptionSpec, env: Environment): string | boolean | undefined {
  const value = env[variableOf(name)];
  if (value === undefined || (spec.type === 'string' && value === '')) return undefined;
  if (spec.type === 'string') return value;
  if (TRUE.includes(value.toLowerCase())) return true;
  if (FALSE.includes(value.toLowerCase())) return false;
  throw new UsageError(`${variableOf(name)} must be true or false.`, HELP);
}

/** The mode: the option that is given, else `COUNTERSIGN_MODE`, else that of the home, else the sandbox. */
function modeOf(values: OptionValues, env: Environment, saved: OptionValues): 'sandbox' | 'live' {
  if (values.live === true && values.sandbox === true)
    throw new UsageError('--sandbox and --live exclude each other.', HELP);
  if (values.live === true) return 'live';
  const chosen = env.COUNTERSIGN_MODE || (saved.mode ?? 'sandbox');
  if (values.sandbox === true) return 'sandbox';
  if (chosen === 'sandbox' || chosen === 'live') return chosen;
  throw new UsageError(
    'The mode (COUNTERSIGN_MODE, or "mode" in settings.json) must be sandbox or live.',
    HELP,
  );
}

/** Options whose environment variable has another name or is too general to be meant for them. */
const NO_VARIABLE: readonly string[] = ['sandbox', 'live', 'help', 'version'];

export interface CommandLine {
  /** `serve` when the command line names none. */
  readonly command: string;
  /** Arguments after the subcommand that are not options. */
  readonly words: readonly string[];
  /** Values from the command line, the environment or the home; of `live` and `sandbox` exactly one is true. */
  readonly options: OptionValues;
  /** The settings of the home. */
  readonly saved: OptionValues;
}

/**
 * Reads a command line. `saved` has the settings of the home.
 * @throws UsageError for an unknown option, a missing value, or a variable with an unusable value
 */
export function readCommandLine(
  argv: readonly string[],
  env: Environment,
  saved: OptionValues = {},
): CommandLine {
  const options = Object.fromEntries(Object.entries(OPTIONS).map(([name, { type }]) => [name, { type }]));
  let parsed: ReturnType<typeof parseArgs>;
  try {
    parsed = parseArgs({ args: [...argv], options, allowPositionals: true, strict: true });
  } catch (error) {
    const why = error instanceof Error ? (error.message.split('. ', 1)[0] ?? '') : '';
    // A key pasted by mistake is not printed.
    throw new UsageError(/[\w-]{25}/.test(why) ? 'There is no such option.' : `${why}.`, HELP);
  }
  const [command = 'serve', ...words] = parsed.positionals;
  const values: Record<string, string | boolean | undefined> = {};
  for (const [name, spec] of Object.entries(OPTIONS)) {
    const given = parsed.values[name];
    const known = typeof given === 'string' || typeof given === 'boolean' ? given : undefined;
    if (name === 'ledger' && typeof known === 'string' && /:[^/@]*@|[?&]password=/.test(known.slice(11)))
      throw new UsageError(
        'The address of the ledger holds a password, and other users can read a command line.',
        'Give the address in COUNTERSIGN_LEDGER, or the password in PGPASSWORD.',
      );
    values[name] = known ?? (NO_VARIABLE.includes(name) ? undefined : fromEnvironment(name, spec, env));
  }
  const mode = modeOf(values, env, saved);
  for (const [name, value] of Object.entries(saved))
    if (mode === (saved.mode ?? mode) || !OF_LIVE.includes(name)) values[name] ??= value;
  return {
    command,
    words,
    options: { ...values, live: mode === 'live', sandbox: mode === 'sandbox' },
    saved,
  };
}
