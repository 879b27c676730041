/** Replacement of a wallet's key: the commands of the page, in order, at a real terminal. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { CHEAP_PASSPHRASES } from './cheapPassphrases.ts';
import { landed, landedConfig } from './firstPlan.ts';
import {
  COMMAND,
  McpProcess,
  object,
  objects,
  run,
  type SandboxProcess,
  someAddress,
  startSandbox,
  text,
} from './harness.ts';
import { type Answer, linesOf, typeInto } from './typist.ts';

const PASSPHRASE = 'orbit velvet canyon mosaic';
const OWNER = 'a person keeps this in the head';
const NEW_OWNER = 'and this one after the exchange';
const SOL = 'So11111111111111111111111111111111111111112';

let sandbox: SandboxProcess;
let user: string;
const servers: McpProcess[] = [];
beforeAll(async () => {
  sandbox = await startSandbox();
  user = mkdtempSync(join(tmpdir(), 'countersign-new-key-'));
  mkdirSync(join(user, '.cursor'));
});
afterAll(async () => {
  await Promise.all(servers.map((server) => server.stop()));
  sandbox.stop();
  rmSync(user, { recursive: true, force: true });
});

/** Returns the page's commands in order, without trailing comments. */
function commandsOfPage(): string[] {
  const page = readFileSync(join(dirname(dirname(COMMAND)), 'docs/backup.md'), 'utf8');
  const [, block = ''] = /\*\*A new wallet key\.\*\*[\s\S]*?```sh\n([\s\S]*?)```/.exec(page) ?? [];
  return block
    .trim()
    .split('\n')
    .map((line) => line.replace(/\s+#.*/, ''));
}

/** Returns the client's server command. */
function started(): string[] {
  const config: unknown = JSON.parse(readFileSync(join(user, '.cursor/mcp.json'), 'utf8'));
  const { args } = object(object(object(config).mcpServers).countersign);
  return Array.isArray(args) ? args.map(String).slice(2) : [];
}

async function client(): Promise<McpProcess> {
  const server = new McpProcess(started(), {
    HOME: user,
    XDG_DATA_HOME: '',
    ...CHEAP_PASSPHRASES,
    COUNTERSIGN_PASSPHRASE: PASSPHRASE,
  });
  servers.push(server);
  await server.initialize();
  return server;
}

/** Requests a quote for the first traded token. */
async function quoteForSol(server: McpProcess): Promise<unknown> {
  const feed = JSON.stringify(await server.ok('get_launch_feed', {}));
  for (const [, outputMint] of feed.matchAll(/"tokenMint":"(\w+)"/g)) {
    const terms = { inputMint: SOL, outputMint, amount: '100000000', slippageMode: 'auto' };
    const quote = await server.call('get_swap_quote', terms);
    if (!quote.isError) return quote.data.requestId;
  }
  throw new Error('no token of the feed is traded');
}

it('a new key receives all assets of the old wallet, keeps the rules, and executes a plan; the old home signs nothing more', async () => {
  const env = {
    PATH: process.env.PATH ?? '',
    TERM: 'xterm',
    HOME: user,
    XDG_DATA_HOME: '',
    XDG_CONFIG_HOME: '',
    DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nonexistent',
    ...CHEAP_PASSPHRASES,
  };
  const first = await typeInto(
    ['init', '--live', '--template', 'sandbox', '--root-url', sandbox.rootUrl, '--rpc-url', sandbox.rpcUrl],
    env,
    [
      { question: 'Passphrase of the secret file:', answer: PASSPHRASE },
      { question: 'The same again:', answer: PASSPHRASE },
      { question: 'Enter makes a new wallet):', answer: '' },
      { question: 'Login token (JWT) or API key:', answer: sandbox.jwt },
      { question: 'New owner passphrase:', answer: OWNER },
      { question: 'The same again:', answer: OWNER },
    ],
  );
  expect([first.code, first.code === 0 ? '' : first.shown]).toEqual([0, '']);
  const oldHome = join(user, '.local/share/countersign');
  const policy = join(oldHome, 'policy.json');

  // The old wallet holds a token beside its SOL.
  const before = await client();
  const requestId = await quoteForSol(before);
  const swapped = await landed(before, await before.ok('create_swap', { requestId }));
  expect(swapped.status).toBe('complete');
  const { wallet: oldAddress } = await before.ok('get_status', {});
  await before.stop('SIGTERM');

  const held = async (wallet: unknown) => {
    const ran = await run(['balance', '--wallet', text(wallet), '--rpc-url', sandbox.rpcUrl, '--json'], env);
    const [balance] = objects(JSON.parse(ran.out).balances);
    const tokens = objects(balance?.tokens).filter(({ baseUnits }) => baseUnits !== '0');
    return {
      lamports: BigInt(text(balance?.lamports)),
      tokens: tokens.map(({ mint, baseUnits }) => [mint, baseUnits]),
    };
  };
  const had = await held(oldAddress);
  expect(had.tokens).toHaveLength(1);

  // Values for the page's placeholders.
  const names: Record<string, string> = {
    NEW: join(user, 'new'),
    POLICY: policy,
    RETIRED: join(user, 'retired'),
    OLD_ADDRESS: text(oldAddress),
  };
  const passphrase = { question: 'Passphrase of the secret file:', answer: PASSPHRASE };
  const again = { question: 'The same again:', answer: PASSPHRASE };
  const answers: Readonly<Record<string, readonly Answer[]>> = {
    'wallet create': [passphrase, again],
    'wallet empty': [passphrase, { question: 'Owner passphrase:', answer: OWNER }],
    'backup RETIRED': [passphrase],
    'init --live': [
      { question: 'Address of the service:', answer: sandbox.rootUrl },
      { question: 'Address of your own RPC:', answer: sandbox.rpcUrl },
      passphrase,
      { question: 'Login token (JWT) or API key:', answer: sandbox.jwt },
      { question: 'New owner passphrase:', answer: NEW_OWNER },
      { question: 'The same again:', answer: NEW_OWNER },
    ],
  };
  const commands = commandsOfPage();
  expect(commands).toHaveLength(5);
  for (const command of commands) {
    const line = command.replace(
      /NEW_ADDRESS|OLD_ADDRESS|\bNEW\b|\bPOLICY\b|\bRETIRED\b/g,
      (name) => names[name] ?? name,
    );
    const [, verb = ''] = /^countersign (\w+ \S+)/.exec(command) ?? [];
    const shell = () => `alias countersign='${process.execPath} ${COMMAND}'\n${line}`;
    const typed = await typeInto([], env, answers[verb], { shell, cwd: user });
    expect([line, typed.code, typed.code === 0 ? '' : typed.shown]).toEqual([line, 0, '']);
    for (const secret of [PASSPHRASE, OWNER, NEW_OWNER]) expect(typed.shown).not.toContain(secret);
    if (verb === 'wallet create')
      [names.NEW_ADDRESS = ''] = /[1-9A-HJ-NP-Za-km-z]{32,44}/.exec(linesOf(typed.shown).join('\n')) ?? [];
  }

  // Everything transferable arrived: the whole token balance, and the SOL less fees and deposits.
  const [left, arrived] = [await held(oldAddress), await held(names.NEW_ADDRESS)];
  expect(left).toEqual({ lamports: 0n, tokens: [] });
  expect(arrived.tokens).toEqual(had.tokens);
  expect(had.lamports - arrived.lamports).toBeLessThan(3_000_000n);
  // The old home's history lists the transfer.
  const history = await run(['history', '--home', oldHome], env);
  expect(history.out.match(/: landed/g)).toHaveLength(3);

  const old = await run(['wallet', 'empty', someAddress(), '--rpc-url', sandbox.rpcUrl], {
    ...env,
    COUNTERSIGN_PASSPHRASE: PASSPHRASE,
  });
  expect(old.code).toBe(1);
  expect(existsSync(join(user, 'retired', 'secrets.age'))).toBe(true);

  const after = await client();
  const plan = await landedConfig(after);
  expect([plan.status, plan.wallet]).toEqual(['complete', names.NEW_ADDRESS]);
  await after.stop('SIGTERM');
});
