/** What `countersign help` and `countersign COMMAND --help` print, laid out for the terminal. */
import { columnsFor, table, wrap } from './layout.ts';
import { OPTIONS } from './options.ts';

type Commands = Readonly<Record<string, { readonly what: string }>>;

const SERVE = 'the MCP server, on stdio or HTTP';
/** Where state and secrets are, and which service: what most commands take. */
const PLACE = ['home', 'secret-store'];
const SERVICE = ['profile', 'root-url', 'rpc-url'];
const HTTP = ['http', 'host', 'port', 'http-token-file', 'principals', 'issuer', 'audience'];
const SANDBOX = ['seed', 'slot-ms'];

/** The options each command reads, beside `--help`; `home` is meant for every command. */
const USES: Readonly<Record<string, readonly string[]>> = {
  serve: [
    ...[
      'sandbox',
      'live',
      ...SERVICE,
      'second-rpc-url',
      'policy',
      'wallet',
      'webhook',
      ...PLACE,
      'ledger',
      'read-only',
      'toolsets',
      'images',
      'signer',
      'telemetry',
      'explorer',
    ],
    ...HTTP,
    ...SANDBOX,
  ],
  demo: ['json', 'attacks'],
  sandbox: ['json', 'port', 'rpc-port', 'profile', ...SANDBOX, 'hostile', 'fault', 'clock', 'programs'],
  init: ['live', 'yes', ...SERVICE, 'token-file', 'import', 'wallet', 'policy', 'template', ...PLACE],
  settings: ['json', 'home'],
  status: ['home', 'policy', 'ledger'],
  wallet: ['label', 'wallet', 'yes', 'json', ...SERVICE, 'ledger', ...PLACE],
  login: [
    ...['root-url', 'profile', 'name', 'page', 'token-file', 'store-token', 'wallet-signature', 'wallet'],
    ...PLACE,
  ],
  owner: PLACE,
  policy: ['template', 'wallet', 'out', 'profile', 'rpc-url', 'policy', 'limit', 'json', ...PLACE],
  principals: ['ledger', 'signer', ...PLACE],
  pending: ['json', 'policy', 'home', 'ledger'],
  open: ['home'],
  notify: ['webhook'],
  approve: ['yes', 'ledger', ...PLACE],
  deny: ['reason', 'yes', 'ledger', ...PLACE],
  plans: ['json', 'limit', 'home', 'ledger'],
  history: ['since', 'until', 'limit', 'policy', 'json', 'home', 'ledger'],
  balance: ['rpc-url', 'wallet', 'policy', 'json', ...PLACE],
  limits: ['policy', 'wallet', 'json', 'ledger', ...PLACE],
  export: ['csv', 'json', 'since', 'until', 'principal', 'out', 'ledger', ...PLACE],
  read: ['encoding', 'rpc-url', 'wallet', 'policy', 'json', 'out', 'profile', 'root-url', 'ledger', ...PLACE],
  audit: ['json', 'limit', 'policy', 'owner', 'ledger', ...PLACE],
  freeze: ['home', 'ledger'],
  unfreeze: ['ledger', ...PLACE],
  secrets: ['json', 'home'],
  ledger: ['json', 'rpc-url', 'policy', ...PLACE],
  backup: ['move', 'policy', ...PLACE],
  restore: ['yes', 'rpc-url', 'home'],
  setup: [
    'client',
    'write',
    'live',
    ...SERVICE,
    'second-rpc-url',
    'policy',
    'wallet',
    'webhook',
    'toolsets',
    'images',
    'explorer',
    'ledger',
    ...PLACE,
  ],
  doctor: ['live', ...SERVICE, 'policy', 'principals', 'json', 'ledger', ...PLACE],
};

/** Options as `--name VALUE  what`, in the order they are declared. */
function optionLines(names: readonly string[], columns: number): string[] {
  const rows = Object.entries(OPTIONS)
    .filter(([name]) => names.includes(name))
    .map(([name, { value, what }]) => [`  --${name}${value === undefined ? '' : ` ${value}`}`, what]);
  return table(rows, columns);
}

/** All commands and all options. `width` is that of the terminal, where it is one. */
export function usage(version: string, commands: Commands, width: number | undefined): string {
  const columns = columnsFor(width);
  const rows = Object.entries({ serve: { what: SERVE }, ...commands });
  return lines([
    `countersign ${version}`,
    '',
    ...table(
      rows.map(([name, { what }]) => [`countersign ${name}`, what]),
      columns,
    ),
    '',
    ...wrap('`countersign COMMAND --help` prints the options of one command. All of them:', columns),
    '',
    ...optionLines(Object.keys(OPTIONS), columns),
    '',
    ...wrap(
      'Each has an environment variable COUNTERSIGN_<OPTION>; the mode is COUNTERSIGN_MODE. More is in docs/commands.md of the package.',
      columns,
    ),
  ]);
}

/** One command and its options. */
export function commandHelp(name: string, commands: Commands, width: number | undefined): string {
  const columns = columnsFor(width);
  const what = name === 'serve' ? SERVE : (commands[name]?.what ?? '');
  return lines([
    ...wrap(what, columns, `countersign ${name}  `),
    '',
    ...optionLines(USES[name] ?? [], columns),
    '',
    ...wrap(
      '`countersign help` lists every command; docs/commands.md of the package explains them.',
      columns,
    ),
  ]);
}

const lines = (all: readonly string[]): string => all.map((line) => `${line}\n`).join('');
