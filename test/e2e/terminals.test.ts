/**
 * Commands in a terminal of 60 and of 100 columns, in an empty home and in one made by `init`: line breaks between
 * words, Ctrl-C, Ctrl-D, wrong answers, and closed readers. Commands that ask nothing run in this process; `init.test.ts`
 * runs eight of them in real terminals.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EXHAUSTIVE } from '../exhaustive.ts';
import '../secrets/cheapPassphrases.mjs';
import { CHEAP_PASSPHRASES } from './cheapPassphrases.ts';
import { COMMAND, type SandboxProcess, startSandbox } from './harness.ts';
import { runHere } from './inProcess.ts';
import { type Answer, brokenIn, CTRL_C, CTRL_D, DOWN, linesOf, typeInto } from './typist.ts';

const PASSPHRASE = 'orbit velvet canyon mosaic';
const OWNER_PASSPHRASE = 'a person keeps this in the head';
const WIDTHS = EXHAUSTIVE ? [60, 100] : [60];

let sandbox: SandboxProcess;
let users: string;
/** Environments of a user with a home made by `init`, and of a user with an empty machine. */
let lived: Record<string, string>;
let empty: Record<string, string>;
let policy: string;

function machine(name: string): Record<string, string> {
  const home = join(users, name);
  mkdirSync(join(home, '.cursor'), { recursive: true });
  return {
    PATH: process.env.PATH ?? '',
    TERM: 'xterm',
    HOME: home,
    XDG_DATA_HOME: '',
    XDG_CONFIG_HOME: '',
    // Nonexistent bus: no keychain works on this machine.
    DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nonexistent',
    COUNTERSIGN_NO_BROWSER: '1',
    ...CHEAP_PASSPHRASES,
  };
}

/** Types in a folder outside the checkout. */
const types: typeof typeInto = (args, env, answers, options) =>
  typeInto(args, env, answers, { cwd: users, ...options });

async function shows(
  words: string,
  columns: number,
  { env = empty, answers = [] }: { env?: Record<string, string>; answers?: readonly Answer[] } = {},
): Promise<{ code: number | null; shown: string }> {
  const typed = await types(words.split(' '), env, answers, { columns });
  expectWhole(words, columns, typed.shown);
  return typed;
}

/** Runs a command that asks nothing in a terminal of this width. Returns its exit code. */
async function printed(words: string, columns: number, env: Record<string, string>): Promise<number> {
  const home = join(env.HOME ?? '', '.local/share/countersign');
  process.chdir(users);
  const ran = runHere(words.split(' '), { ...env, COUNTERSIGN_HOME: home }, columns);
  const { code, shown } = await ran.finally(() => process.chdir(ROOT));
  expectWhole(words, columns, shown);
  return code;
}

/** Checks that no word is broken and no secret or internal value is printed. */
function expectWhole(words: string, columns: number, shown: string): void {
  expect([words, columns, brokenIn(shown, columns)]).toEqual([words, columns, []]);
  // No `undefined` in the output, in full or truncated.
  expect(shown).not.toMatch(/\n\s+at .*\(|undefined|unde…ined/);
  expect(shown).not.toContain(PASSPHRASE);
  expect(shown).not.toContain(OWNER_PASSPHRASE);
}

/** Goes live as a new user. Returns the output at this width. */
const goLive = (env: Record<string, string>, columns: number) =>
  shows('init', columns, {
    env,
    answers: [
      { question: 'How do you begin?', answer: DOWN },
      { question: 'Address of the service:', answer: sandbox.rootUrl },
      { question: 'Address of your own RPC:', answer: sandbox.rpcUrl },
      { question: 'Passphrase of the secret file:', answer: PASSPHRASE },
      { question: 'The same again:', answer: PASSPHRASE },
      { question: 'Enter makes a new wallet):', answer: '' },
      { question: 'API key:', answer: sandbox.jwt },
      { question: 'What may the agent do?', answer: '' },
      { question: 'New owner passphrase:', answer: OWNER_PASSPHRASE },
      { question: 'The same again:', answer: OWNER_PASSPHRASE },
    ],
  });

beforeAll(async () => {
  sandbox = await startSandbox();
  users = mkdtempSync(join(tmpdir(), 'countersign-terminals-'));
  empty = machine('empty');
  const env = machine('lived');
  expect((await goLive(env, 60)).code).toBe(0);
  const home = join(env.HOME ?? '', '.local/share/countersign');
  policy = join(home, 'policy.json');
  lived = { ...env, COUNTERSIGN_PASSPHRASE: PASSPHRASE };
});
afterAll(() => {
  sandbox.stop();
  rmSync(users, { recursive: true, force: true });
});

const INTERRUPTED: readonly Answer[] = [{ question: 'Stop it with Ctrl-C.', answer: CTRL_C, bare: true }];

/** Commands in an empty home. */
const COMMANDS = [
  'help',
  'doctor',
  'doctor --live',
  'setup',
  'pending',
  'plans',
  'history',
  'limits',
  'balance',
  'export',
  'approve approval-none',
  'deny approval-none',
  'freeze',
  'unfreeze',
  'open',
  'notify',
  'wallet',
  'wallet show',
  'wallet empty',
  'owner show',
  'login',
  'init --live --yes',
  'policy',
  'policy check none.json',
  'read nonsense',
  'audit show',
  'audit verify',
  'audit replay',
  'secrets migrate file',
  'ledger accept',
  'backup',
  'restore',
  'no-such-command',
  'history --no-such-option',
];

describe.each([60, 100])('in a terminal of %i columns', (columns) => {
  it('`countersign setup --write` writes the entries and lists them', async () => {
    expect(await printed('setup --write', columns, machine(`setup-${columns}`))).toBe(0);
  });

  it.each(COMMANDS)('`countersign %s` in an empty home breaks no word', async (words) => {
    // Without a name `backup` writes into the working folder, which is this checkout.
    const place = words === 'backup' ? ` ${join(users, `backup-${columns}`)}` : '';
    await printed(`${words}${place}`, columns, empty);
  });

  it('commands about an initialized home break no word', async () => {
    const live = [
      'status',
      'doctor',
      'limits',
      'setup',
      'settings',
      'wallet show',
      'pending',
      'plans',
      'history',
      'balance',
      'audit verify',
    ];
    for (const words of live) {
      expect([words, await printed(words, columns, lived)]).toEqual([words, 0]);
    }
    for (const words of ['policy check', 'policy explain', 'policy diff POLICY']) {
      const line = `${words.replace('POLICY', policy)} ${policy}`;
      expect([words, await printed(line, columns, lived)]).toEqual([words, 0]);
    }
  });
});

it.each(WIDTHS)('the sandbox prints its addresses in %i columns and ends at Ctrl-C', async (columns) => {
  const { code, shown } = await shows('sandbox', columns, { answers: INTERRUPTED });
  expect(code).toBe(0);
  expect(linesOf(shown).join(' ')).toContain('keys are discarded when it stops.');
});

const ROOT = dirname(dirname(COMMAND));
const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');
const ALIAS = /^alias countersign=.*\S(?=\s+#)/m.exec(readme)?.[0] ?? '';

/** Returns every command of the README, from shell blocks and from sentences. */
function commandsOfReadme(): string[] {
  const blocks = [...readme.matchAll(/```sh\n([\s\S]*?)```/g)].flatMap(([, block = '']) =>
    block.trim().split('\n'),
  );
  const lines = blocks.flatMap((line) => line.replace(/\s+#.*/, '').split(' && '));
  const commands = [...readme.matchAll(/`((?:countersign|npm|npx) [^`]+)`/g)].map(([, words = '']) => words);
  return [...new Set([...lines, ...commands])];
}

/** README commands whose output depends on the terminal width: run here, at both widths. */
const RUN_HERE = [
  ALIAS,
  'countersign setup --write',
  'npm run demo',
  'countersign init',
  'countersign sandbox',
  'npm run demo -- --attacks',
];
/**
 * Commands of npm and the test suite, whose output is npm's. They modify this checkout, so they run elsewhere: in CI,
 * and in the test named for each.
 */
const RUN_ELSEWHERE: Readonly<Record<string, readonly [file: string, words: string]>> = {
  'npm ci': ['.ci/run', 'npm ci --no-audit'],
  'npm test': ['.ci/run', "'npm test' npm test"],
  'npm run build': ['.ci/run', "'npm run build' npm run --silent build"],
  'npm run pack:mcpb': ['test/packaging/bundle.test.ts', 'scripts/pack.mjs'],
};

describe('the README', () => {
  it('names only commands that run in a terminal here or in the named test', () => {
    expect(commandsOfReadme().sort()).toEqual([...RUN_HERE, ...Object.keys(RUN_ELSEWHERE)].sort());
    for (const [file, words] of Object.values(RUN_ELSEWHERE)) {
      expect(readFileSync(join(ROOT, file), 'utf8')).toContain(words);
    }
  });

  // The run at 60 columns made the home of the tests above.
  if (EXHAUSTIVE)
    it('`countersign init` goes live in 100 columns as in 60', async () => {
      expect((await goLive(machine('wide'), 100)).code).toBe(0);
    });

  it.each(WIDTHS)(
    'explains how to install the `countersign` command and what it runs, also in %i columns',
    async (columns) => {
      const shell = () => `${ALIAS}\ncountersign help`;
      const typed = await types([], empty, [], { columns, cwd: ROOT, shell });
      expect([typed.code, brokenIn(typed.shown, columns)]).toEqual([0, []]);
      expect(typed.shown).toContain('the MCP server');
    },
  );

  if (EXHAUSTIVE)
    it.each(WIDTHS)('shows a passing demo without a broken word in %i columns', async (columns) => {
      const { code, shown } = await shows('demo', columns);
      expect([code, shown]).toEqual([0, expect.stringContaining('steps held')]);
    });

  // test/attacks/table.test.ts plays the whole table, which takes minutes.
  it.each(WIDTHS)(
    'runs its attacks one after another in %i columns, breaks no word, and ends at Ctrl-C',
    async (columns) => {
      const answers = [{ question: 'approve-tokens', answer: CTRL_C, bare: true }];
      const { code, shown } = await shows('demo --attacks', columns, { answers });
      expect([code, shown]).toEqual([130, expect.stringContaining('AUTHORITY_CHANGE')]);
    },
  );
});

describe('interactive input', () => {
  it('Ctrl-C at a question ends the command and leaves no wallet', async () => {
    const env = machine('interrupts');
    const typed = await types(['init', '--live'], env, [
      { question: 'Address of the service', answer: CTRL_C, bare: true },
    ]);
    expect(typed.code).toBe(130);
    expect(typed.shown).not.toMatch(/\n\s+at /);
    expect(await printed('wallet show', 60, env)).toBe(1);
  });

  it('Ctrl-D at a question reports that nothing was answered', async () => {
    const typed = await types(['init'], machine('leaves'), [
      { question: 'How do you begin?', answer: CTRL_D, bare: true },
    ]);
    expect([typed.code, typed.shown]).toEqual([1, expect.stringContaining('Nothing was answered.')]);
  });

  it('a wrong answer is asked again a few times before the command ends', async () => {
    const question = 'Address of the service:';
    const answers = ['maybe', 'perhaps', 'what', 'no'].map((answer) => ({ question, answer }));
    const typed = await types(['init', '--live'], machine('wrong'), answers);
    expect(typed.code).toBe(1);
    expect(typed.shown.match(/The root URL is not a complete URL/g)).toHaveLength(4);
  });

  it.each(
    EXHAUSTIVE ? ['history', 'plans', 'audit show', 'help', 'policy schema'] : ['history', 'policy schema'],
  )('a reader of only the first line of `%s` sees that line and nothing else', async (words) => {
    const typed = await types(words.split(' '), lived, [], { shell: (line) => `${line} | head -1` });
    expect(linesOf(typed.shown).filter((line) => line !== '')).toHaveLength(1);
    expect(typed.code).toBe(0);
  });
});
