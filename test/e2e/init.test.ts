/** First run at a real terminal: `countersign init` on an empty machine, and the first live plan. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CHEAP_PASSPHRASES } from './cheapPassphrases.ts';
import { landedConfig } from './firstPlan.ts';
import { COMMAND, McpProcess, object, run, type SandboxProcess, startSandbox, text } from './harness.ts';
import { brokenIn, DOWN, linesOf, plain, typeInto } from './typist.ts';

const WALLET_PASSPHRASE = 'orbit velvet canyon mosaic';
const OWNER_PASSPHRASE = 'a person keeps this in the head';

let sandbox: SandboxProcess;
let users: string;
const servers: McpProcess[] = [];

beforeAll(async () => {
  sandbox = await startSandbox();
  users = mkdtempSync(join(tmpdir(), 'countersign-init-'));
});

afterAll(async () => {
  await Promise.all(servers.map((server) => server.stop()));
  sandbox.stop();
  rmSync(users, { recursive: true, force: true });
});

const ROOT = dirname(dirname(COMMAND));

/** Returns the commands of the page's count from a checkout to the first landed live plan. */
function countedCommands(): { count: string; build: string; alias: string; init: string } {
  const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');
  const sentence =
    /[Ii]t takes (\w+) commands from a checkout to the first landed plan: `([^`]+)`, the `alias`, and\s+`([^`]+)`\./;
  const [, count = '', build = '', init = ''] = sentence.exec(readme) ?? [];
  return { count, build, init, alias: /^alias countersign=.*\S(?=\s+#)/m.exec(readme)?.[0] ?? '' };
}

/** Creates an empty machine: a user folder with one client in it. */
function machine(name: string): { home: string; env: Record<string, string> } {
  const home = join(users, name);
  mkdirSync(join(home, '.cursor'), { recursive: true });
  const env = {
    PATH: process.env.PATH ?? '',
    TERM: 'xterm',
    HOME: home,
    XDG_DATA_HOME: '',
    XDG_CONFIG_HOME: '',
  };
  // Nonexistent bus: no keychain works on this machine.
  return { home, env: { ...env, DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nonexistent' } };
}

/** Returns the client's server command: the words after `serve`, and its variables. */
function started(home: string): string[] {
  const { args } = object(
    object(object(JSON.parse(readFileSync(join(home, '.cursor/mcp.json'), 'utf8'))).mcpServers).countersign,
  );
  return Array.isArray(args) ? args.map(String).slice(2) : [];
}

async function servedConfig(home: string) {
  const server = new McpProcess(started(home), {
    HOME: home,
    XDG_DATA_HOME: '',
    ...CHEAP_PASSPHRASES,
    COUNTERSIGN_PASSPHRASE: WALLET_PASSPHRASE,
  });
  servers.push(server);
  await server.initialize();
  const plan = await landedConfig(server);
  await server.stop('SIGTERM');
  return plan;
}

describe('countersign init', () => {
  it('is the last of three commands from a checkout to the first landed live plan, as the README counts them; wrong answers are asked again, funding included', async () => {
    const { home, env: surroundings } = machine('person');
    const env = { ...surroundings, ...CHEAP_PASSPHRASES };
    const { count, build, alias, init } = countedCommands();
    // The first command builds the executable of the other two.
    expect([count, build, init, existsSync(COMMAND)]).toEqual([
      'three',
      'npm run build',
      'countersign init',
      true,
    ]);
    const commands = { columns: 80, cwd: ROOT, shell: () => `${alias}\n${init}` };
    const answers = [
      { question: 'How do you begin?', answer: DOWN },
      {
        question: 'Address of the service:',
        answer: 'http://127.0.0.1:1',
      },
      { question: 'Address of the service:', answer: sandbox.rootUrl },
      { question: 'Address of your own RPC:', answer: 'nonsense' },
      { question: 'Address of your own RPC:', answer: sandbox.rpcUrl },
      { question: 'Passphrase of the secret file:', answer: WALLET_PASSPHRASE },
      { question: 'The same again:', answer: 'something else entirely' },
      { question: 'Passphrase of the secret file:', answer: WALLET_PASSPHRASE },
      { question: 'The same again:', answer: WALLET_PASSPHRASE },
      { question: 'Enter makes a new wallet):', answer: '' },
      { question: 'Login token (JWT) or API key:', answer: 'not a token' },
      { question: 'Login token (JWT) or API key:', answer: sandbox.jwt },
      { question: 'What may the agent do?', answer: '' },
      { question: 'New owner passphrase:', answer: OWNER_PASSPHRASE },
      { question: 'The same again:', answer: OWNER_PASSPHRASE },
    ];
    const typed = await typeInto([], env, answers, commands);
    expect([typed.code, typed.code === 0 ? '' : typed.shown]).toEqual([0, '']);
    expect(brokenIn(typed.shown, 80)).toEqual([]);
    const flat = typed.shown.replace(/\s+/g, ' ');
    expect(flat).toContain('Nothing answers at http://127.0.0.1:1.');
    expect(flat).toContain('The two passphrases differ.');
    expect(flat).toContain('has 10 SOL, from the faucet of this chain.');
    expect(flat).toContain('Template "creator"');
    expect(flat).not.toMatch(/MISS|Run the command again/);
    // The shell that starts the client has no passphrase yet; the output says so.
    expect(flat).toContain('Last step: set COUNTERSIGN_PASSPHRASE');
    expect(flat).toContain('At most 2 SOL may leave in any 24 hours.');
    for (const secret of [WALLET_PASSPHRASE, OWNER_PASSPHRASE, sandbox.jwt]) {
      expect(typed.shown).not.toContain(secret);
    }
    const data = join(home, '.local/share/countersign');
    for (const name of readdirSync(data)) expect(statSync(join(data, name)).mode & 0o077).toBe(0);

    // No further command: the client starts the server with the line written by `init`.
    const plan = await servedConfig(home);
    expect(plan.status).toBe('complete');

    // Every command reads the values stored by `init`.
    const wallet = linesOf(typed.shown).find((line) => /^\w{43,44}$/.test(line)) ?? 'none';
    const here = { ...surroundings, COUNTERSIGN_PASSPHRASE: WALLET_PASSPHRASE };
    const answerTexts: Readonly<Record<string, string>> = {
      doctor: 'mode live',
      limits: 'used 0.0',
      balance: wallet,
      history: 'Set up who shares the fees: landed',
      [`read ${text(plan.planId)}`]: 'Set up who shares the fees',
      status: 'live: your own wallet',
      'policy explain': `Wallet "agent": ${wallet}`,
      'setup --write': 'is already configured',
    };
    const line = started(home);
    // Both terminal widths; the home of 60 columns is made by test/e2e/terminals.test.ts.
    for (const columns of [60, 80]) {
      for (const [words, expected] of Object.entries(answerTexts)) {
        const { code, shown } = await typeInto(words.split(' '), here, [], { columns, cwd: users });
        expect([words, columns, code, brokenIn(shown, columns), plain(shown).replace(/\s+/g, ' ')]).toEqual([
          ...[words, columns, 0, []],
          expect.stringContaining(expected),
        ]);
      }
    }
    // The second `setup` left the client's line unchanged.
    expect(started(home)).toEqual(line);

    // A second run asks only for the existing passphrase.
    const second = await typeInto(['init'], env, [
      { question: 'Passphrase of the secret file:', answer: WALLET_PASSPHRASE },
    ]);
    expect(second.code).toBe(0);
    expect(second.shown.match(/There already/g)).toHaveLength(4);
  });

  it('runs without a terminal with --yes, names a missing option, and resumes where it stopped', async () => {
    const { env: surroundings } = machine('script');
    // The file store is written and opened at full passphrase cost.
    const env = { ...surroundings, COUNTERSIGN_PASSPHRASE: WALLET_PASSPHRASE };
    const init = ['init', '--live', '--yes', '--root-url', sandbox.rootUrl];
    const first = await run(init, env);
    expect([first.code, first.err]).toEqual([1, expect.stringContaining('--yes needs --rpc-url.')]);
    const second = await run([...init, '--rpc-url', sandbox.rpcUrl], env);
    expect([second.code, second.err]).toEqual([1, expect.stringContaining('COUNTERSIGN_JWT')]);
    const wallet = second.out.trim().split('\n')[0] ?? '';
    const third = await run(['init', '--live', '--yes'], { ...env, COUNTERSIGN_JWT: sandbox.jwt });
    expect(third.err).toContain(`There already: ${wallet}.`);
    expect(third.err).toContain('only a person types its passphrase');
    // Only the owner key is missing: `doctor` lists the command.
    expect(third.out.match(/^MISS .*$/gm)).toEqual([expect.stringContaining('owner key')]);
  });

  it('configures a client for the sandbox without further input', async () => {
    const { home, env } = machine('sandbox');
    const typed = await typeInto(['init'], env, [{ question: 'How do you begin?', answer: '' }]);
    expect(typed.code).toBe(0);
    expect(started(home)).toEqual(['--sandbox']);
    expect(existsSync(join(home, '.local'))).toBe(false);
  });
});
