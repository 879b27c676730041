/**
 * The options of all subcommands. An option overrides its environment variable `COUNTERSIGN_<OPTION>`, which
 * overrides the home's settings; secrets have no option, since other users can read a command line.
 */
import { parseArgs } from 'node:util';

export type Environment = Readonly<Record<string, string | undefined>>;
export type OptionValues = Readonly<Record<string, string | boolean | undefined>>;

interface OptionSpec {
  readonly type: 'string' | 'boolean';
  /** Placeholder of its value in the help. */
  readonly value?: string;
  readonly what: string;
  /** Permitted values, if enumerable. */
  readonly choices?: readonly string[];
}

const text = (value: string, what: string): OptionSpec => ({ type: 'string', value, what });
const choice = (choices: readonly string[], what: string): OptionSpec => ({
  ...text('NAME', what),
  choices,
});
const flag = (what: string): OptionSpec => ({ type: 'boolean', what });

/** The options of all commands, in help order. */
export const OPTIONS: Readonly<Record<string, OptionSpec>> = {
  home: text('DIR', 'home folder'),
  live: flag('use a real service, chain and wallet'),
  sandbox: flag('use the embedded sandbox'),
  set: text('NAME=VALUE', 'another setting for this run; `countersign help settings` lists them'),
  profile: choice(['contract', 'bags'], 'names and encodings of the service'),
  'root-url': text('URL', 'the service'),
  'rpc-url': text('URL', 'your own RPC'),
  policy: text('FILE', 'the signing policy'),
  wallet: text('NAME', 'label of a wallet of this home, or an address'),
  'secret-store': choice(['keychain', 'file', 'env'], 'secret store'),
  'read-only': flag('serve tools that change nothing'),
  toolsets: text('a,b', 'serve these domains only'),
  http: flag('serve over HTTP instead of stdio'),
  port: text('N', 'port of the sandbox service, or of HTTP (default 8787)'),
  seed: text('TEXT', 'seed of a repeatable sandbox'),
  hostile: text('NAME', 'attack to play in the sandbox'),
  programs: text('DIR', 'folder of ADDRESS.so files that replace stand-ins of the sandbox'),
  attacks: flag('play the attacks of the threat model'),
  template: choice(['observer', 'creator', 'trader', 'sandbox'], 'template of the policy'),
  out: text('PATH', 'output file or folder'),
  since: text('TIME', 'from a date, an instant, or a length ago such as 7d'),
  until: text('TIME', 'up to a date, an instant, or a length ago'),
  limit: text('N', 'maximum number of rows'),
  move: flag('end signing in this home; the restored home continues'),
  write: flag('write the configuration instead of printing it'),
  reason: text('TEXT', 'reason of a denial, shown to the agent'),
  json: flag('print JSON'),
  yes: flag('ask nothing'),
};

/** Settings without an option: set in the home, with `--set` or in the environment. */
export const MORE_SETTINGS: Readonly<Record<string, OptionSpec>> = {
  'second-rpc-url': text('URL', 'a second RPC that must agree above a threshold of the policy'),
  webhook: text('URL', 'receives a JSON message about each question'),
  'webhook-details': text('true|false', 'whether webhooks receive amounts and parties'),
  ledger: text('URL', 'a PostgreSQL that several hosts share, instead of the file of the home'),
  signer: text('MODULE', 'your module that signs instead of the wallets in the secret store'),
  images: text('DIR', 'folder of local images'),
  telemetry: text('MODULE', 'your module that registers OpenTelemetry'),
  explorer: text('URL', 'address of transactions, with {signature} in it; none: no links'),
  host: text('ADDRESS', 'address of the HTTP server; default 127.0.0.1'),
  'http-token-file': text('FILE', 'file with the token of the only agent of an HTTP server'),
  principals: text('FILE', 'agents of an HTTP server and their permissions'),
  issuer: text('URL', 'OAuth issuer whose tokens are accepted'),
  audience: text('URL', "this server's own address in those tokens"),
  fault: text('NAME', 'fault to play in the sandbox'),
  clock: text('auto|manual', 'how the sandbox produces blocks'),
  'slot-ms': text('N', 'milliseconds per block of the sandbox'),
  'rpc-port': text('N', "port of the sandbox's RPC; default the next one after --port"),
};

/** Permitted names in a home's `settings.json`; `mode` is `--live` or `--sandbox`. */
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
  ...['ledger', 'webhook', 'webhook-details', 'toolsets', 'read-only', 'images', 'explorer', 'telemetry'],
  ...['host', 'http-token-file', 'principals', 'issuer', 'audience'],
];
/** Settings that apply only to live mode. */
const OF_LIVE: readonly string[] = SETTINGS.slice(0, 9);

/** Options of every command. */
export const GLOBAL: readonly string[] = ['home', 'live', 'sandbox', 'set'];
/** Options that override the home's connection, so that one prefix works for all commands. */
export const CONNECTION: readonly string[] = ['profile', 'root-url', 'rpc-url', 'policy'];
/** Further options of `serve`. */
export const OF_SERVE: readonly string[] = [
  ...['profile', 'root-url', 'rpc-url', 'policy', 'wallet', 'secret-store', 'read-only', 'toolsets'],
  ...['http', 'port', 'seed'],
];

/** An error on the command line. `hint` gives the next step. */
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

/** Returns the environment variable of an option. */
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

/** Returns the mode: the given option, `COUNTERSIGN_MODE`, the home's mode, or the sandbox. */
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

/** Options without an environment variable, since theirs is named differently or too general. */
const NO_VARIABLE: readonly string[] = ['sandbox', 'live', 'set'];

/** Typed values; `set` has each `--set NAME=VALUE`. */
export type TypedValues = Readonly<
  Record<string, string | boolean | readonly (string | boolean)[] | undefined>
>;

/**
 * Parses a command line that starts the server: no word, or `serve`, and its options. Returns `undefined` for any
 * other command line. Works without the parser of other commands, since clients wait for the start.
 */
export function readServeLine(argv: readonly string[]): { typed: TypedValues; isBare: boolean } | undefined {
  const options = [...GLOBAL, ...OF_SERVE].map((name) => [
    name,
    { type: OPTIONS[name]?.type ?? 'string', multiple: name === 'set' },
  ]);
  try {
    const { values, positionals } = parseArgs({
      args: [...argv],
      options: Object.fromEntries(options),
      allowPositionals: true,
    });
    const isServe = positionals.length === 0 || (positionals.length === 1 && positionals[0] === 'serve');
    return isServe ? { typed: values, isBare: positionals.length === 0 } : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Returns the values of all options and settings: typed ones first, then the environment's, then the home's. Exactly
 * one of `live` and `sandbox` is true.
 * @throws UsageError for a variable with an invalid value, an invalid `--set`, or two modes
 */
export function resolveOptions(typed: TypedValues, env: Environment, saved: OptionValues = {}): OptionValues {
  const values: Record<string, string | boolean | undefined> = { ...setOf(typed.set) };
  for (const [name, spec] of [...Object.entries(OPTIONS), ...Object.entries(MORE_SETTINGS)]) {
    const given = typed[name];
    if (typeof given === 'string' || typeof given === 'boolean') values[name] = given;
    else if (!NO_VARIABLE.includes(name)) values[name] ??= fromEnvironment(name, spec, env);
  }
  const mode = modeOf(values, env, saved);
  for (const [name, value] of Object.entries(saved))
    if (mode === (saved.mode ?? mode) || !OF_LIVE.includes(name)) values[name] ??= value;
  return { ...values, live: mode === 'live', sandbox: mode === 'sandbox' };
}

/** Returns the values of `--set NAME=VALUE`. */
function setOf(given: unknown): Record<string, string> {
  const set: Record<string, string> = {};
  for (const each of Array.isArray(given) ? given.map(String) : []) {
    const at = each.indexOf('=');
    const [name, value] = [each.slice(0, at), each.slice(at + 1)];
    if (at < 1 || !Object.hasOwn(MORE_SETTINGS, name))
      throw new UsageError(
        '--set takes NAME=VALUE with the name of a setting.',
        '`countersign help settings` lists them.',
      );
    if (name === 'ledger' && /:[^/@]*@|[?&]password=/.test(value.slice(11)))
      throw new UsageError(
        'The address of the ledger holds a password, and other users can read a command line.',
        'Use `countersign settings ledger`, COUNTERSIGN_LEDGER, or the password in PGPASSWORD.',
      );
    set[name] = value;
  }
  return set;
}
