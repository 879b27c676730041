/**
 * Nine secrets through every path of a live server and its commands, with a service and an RPC that echo their input,
 * errors, a crash and a kill. No output and no byte of any file may contain one.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import '../secrets/cheapPassphrases.mjs';
import { type Echoing, echoingRpc, echoingService } from './canary/echoing.ts';
import { type Canary, filesBelow, formsOf, found, makeSecrets, makeWallet } from './canary/secrets.ts';
import { CHEAP_PASSPHRASES } from './cheapPassphrases.ts';
import {
  type Fields,
  McpProcess,
  object,
  objects,
  run,
  type SandboxProcess,
  someAddress,
  startSandbox,
  text,
} from './harness.ts';
import { runHere } from './inProcess.ts';
import { typeInto } from './typist.ts';

const CRASH = resolve(import.meta.dirname, 'canary/crash.mjs');

const secrets = makeSecrets();
const wallet = makeWallet();
const canaries: Canary[] = [
  ...Object.entries(secrets).map(([name, value]) => ({ name, value: Buffer.from(value) })),
  { name: 'wallet seed', value: wallet.seed },
  { name: 'wallet keypair', value: wallet.keypair },
];

/** All output, with its origin. */
const outputs: { from: string; text: string }[] = [];
const servers: McpProcess[] = [];
let sandbox: SandboxProcess;
let service: Echoing;
let rpc: Echoing;
let userHome: string;
let apart: string;

beforeAll(async () => {
  sandbox = await startSandbox();
  service = await echoingService(sandbox, secrets.apiKey);
  rpc = await echoingRpc(sandbox);
  userHome = mkdtempSync(join(tmpdir(), 'countersign-canary-'));
  apart = mkdtempSync(join(tmpdir(), 'countersign-apart-'));
  mkdirSync(join(userHome, '.cursor'));
});

afterAll(async () => {
  await Promise.all(servers.map((server) => server.stop()));
  service.close();
  rpc.close();
  sandbox.stop();
  for (const folder of [userHome, apart]) rmSync(folder, { recursive: true, force: true });
});

const homeFolder = (): string => join(userHome, '.local/share/countersign');
const rpcUrl = (): string => `${rpc.url}/v2/${secrets.rpcPath}?api-key=${secrets.rpcQuery}`;
const policy = (): string => join(userHome, 'policy.json');

/** Typical environment: passphrase and RPC address in variables, nothing in argv. */
const surroundings = (more: Record<string, string> = {}): Record<string, string> => ({
  HOME: userHome,
  XDG_DATA_HOME: '',
  COUNTERSIGN_NO_BROWSER: '1',
  COUNTERSIGN_PASSPHRASE: secrets.passphrase,
  COUNTERSIGN_ROOT_URL: service.url,
  COUNTERSIGN_RPC_URL: rpcUrl(),
  ...CHEAP_PASSPHRASES,
  COUNTERSIGN_WEBHOOK: `${rpc.url}/hooks/${secrets.webhook} http://127.0.0.1:9/${secrets.webhook}`,
  ...more,
});

const inThisProcess: typeof run = (args, env = {}) =>
  runHere(args, { ...env, COUNTERSIGN_HOME: homeFolder() });

/** Runs a command, in this process unless told otherwise, and records its output. */
async function command(
  args: readonly string[],
  more: Record<string, string> = {},
  start = inThisProcess,
): Promise<number | null> {
  const { code, out, err } = await start(args, surroundings(more));
  outputs.push(
    { from: `${args.join(' ')} (stdout)`, text: out },
    { from: `${args.join(' ')} (stderr)`, text: err },
  );
  return code;
}

/** Types the owner passphrase into a command and records the terminal's output. */
async function typed(args: readonly string[], questions: readonly string[]): Promise<number | null> {
  const { code, shown } = await typeInto(
    args,
    { PATH: process.env.PATH ?? '', TERM: 'xterm', ...surroundings() },
    questions.map((question) => ({ question, answer: secrets.ownerPassphrase })),
  );
  outputs.push({ from: `${args.join(' ')} (terminal)`, text: shown });
  return code;
}

/** Starts a live server and records all output. */
async function serve(args: readonly string[] = [], more: Record<string, string> = {}): Promise<McpProcess> {
  const server = new McpProcess(['--live', '--policy', policy(), ...args], surroundings(more));
  servers.push(server);
  const kept = { from: `server ${servers.length} (stdout)`, text: '' };
  outputs.push(kept);
  server.child.stdout?.on('data', (chunk) => {
    kept.text += chunk;
  });
  await server.initialize();
  return server;
}

async function build(server: McpProcess, admin: string): Promise<{ planId: string; stageId: string }> {
  const info = await server.ok('create_token_info', {
    name: 'Canary',
    symbol: 'CAN',
    description: 'sings',
    imageUrl: 'https://example.com/a.png',
  });
  const built = await server.ok('create_fee_share_config', {
    baseMint: info.tokenMint,
    payer: wallet.address,
    flow: 'damm_v2_direct',
    claimersArray: [wallet.address, someAddress()],
    basisPointsArray: [6_000, 4_000],
    admin,
  });
  const plan = object(built.plan);
  return { planId: text(plan.planId), stageId: text(objects(plan.stages)[0]?.id) };
}

async function settled(server: McpProcess, planId: string): Promise<Fields> {
  for (let turn = 0; ; turn++) {
    const answer = await server.request('tools/call', {
      name: 'submit_plan',
      arguments: { planId, waitSeconds: 30 },
      _meta: { progressToken: `t${turn}` },
    });
    const plan = object(object(object(answer.result).structuredContent).plan);
    if (turn > 8 || !['running', 'waiting_setup', 'ready'].includes(String(plan.status))) return plan;
  }
}

/** Performs read-only calls and reads every resource. */
async function lookAround(server: McpProcess, planId: string, stageId: string): Promise<void> {
  for (const name of [
    'get_status',
    'get_wallet',
    'get_policy',
    'list_plans',
    'list_decisions',
    'get_launch_feed',
  ])
    await server.call(name);
  await server.call('list_claimable_positions', { wallet: wallet.address });
  for (const name of ['get_plan', 'review_plan']) await server.call(name, { planId });
  for (const uri of [`plan://${planId}/stages/${stageId}`, 'policy://current'])
    await server.request('resources/read', { uri });
}

it('the search finds every secret in every encoding it covers', () => {
  for (const canary of canaries) {
    for (const form of formsOf(canary.value)) {
      expect(form.length).toBeGreaterThan(12);
      expect(found(Buffer.from(`..${form}..`, 'latin1'), [canary])).not.toEqual([]);
    }
  }
  expect(found('nothing of it', canaries)).toEqual([]);
});

it('no path prints a secret', async () => {
  // Setup, with mistakes.
  const keyFile = join(apart, 'id.json');
  writeFileSync(keyFile, wallet.file, { mode: 0o600 });
  expect(await command(['wallet', 'import', keyFile, '--secret-store', 'file'])).toBe(0);
  const spoiled = join(apart, 'spoiled.json');
  writeFileSync(spoiled, wallet.file.replace('[', '[1,'), { mode: 0o600 });
  expect(await command(['wallet', 'import', spoiled])).toBe(1);
  const login = { COUNTERSIGN_JWT: secrets.jwt };
  for (const answer of ['401', '500', 'garbage'] as const) {
    service.state.answer = answer;
    expect(await command(['login'], login)).toBe(1);
  }
  expect(await command(['login'], { COUNTERSIGN_JWT: `${secrets.jwt}.x` })).toBe(1);
  service.state.answer = 'echo';
  expect(await command(['login'], login, run)).toBe(0);
  const init = ['policy', 'init', '--template', 'creator', '--out'];
  rpc.state.answer = '500';
  expect(await command([...init, policy()])).toBe(1);
  rpc.state.answer = 'echo';
  expect(await command([...init, policy()])).toBe(0);
  expect(await typed(['owner', 'create'], ['New owner passphrase:', 'The same again:'])).toBe(0);
  expect(await command(['setup', '--write', 'cursor', '--live', '--policy', policy()])).toBe(0);
  await sandbox.rpc('requestAirdrop', [wallet.address, 20_000_000_000]);
  expect(await command(['doctor', '--live', '--policy', policy()], {}, run)).toBe(0);
  expect(await command(['doctor', '--live', '--json'])).toBe(1);
  expect(await command(['doctor', '--live'], { COUNTERSIGN_PASSPHRASE: `${secrets.passphrase}?` })).toBe(1);
  const withUser = rpcUrl().replace('://', `://${secrets.rpcUser}:${secrets.rpcUser}@`);
  await command(['doctor', '--live'], { COUNTERSIGN_RPC_URL: withUser });
  await command([...init, join(apart, 'other.json')], { COUNTERSIGN_RPC_URL: withUser });

  // Running server: one plan that requires approval, and one that does not.
  const server = await serve();
  const pendingStage = await build(server, someAddress());
  expect((await settled(server, pendingStage.planId)).status).toBe('approval_required');
  const launchFile = join(homeFolder(), 'approve.html');
  const pageToken = /name="token" value="([^"]+)"/.exec(readFileSync(launchFile, 'utf8'))?.[1] ?? '';
  expect(pageToken.length).toBeGreaterThan(30);
  canaries.push({ name: 'page token', value: Buffer.from(pageToken) });
  await lookAround(server, pendingStage.planId, pendingStage.stageId);
  expect(await command(['pending'])).toBe(0);
  expect(await command(['notify'])).toBe(1);
  expect(await command(['open'])).toBe(0);
  const wrongHook = { COUNTERSIGN_WEBHOOK: `ftp://example.com/${secrets.webhook}` };
  expect(await command(['notify'], wrongHook)).toBe(1);
  // Nothing listens there.
  const noLedger = { COUNTERSIGN_LEDGER: `postgres://me:${secrets.ledger}@127.0.0.1:9/ledger` };
  expect(await command(['freeze'], noLedger)).toBe(1);
  expect(await command(['doctor', '--live'], noLedger)).toBe(1);
  const cut = await serve([], noLedger);
  await cut.call('list_plans');
  await cut.stop();
  expect(await typed(['approve', pendingStage.planId], ['Owner passphrase:'])).toBe(0);
  expect((await settled(server, pendingStage.planId)).status).toBe('complete');
  const own = await build(server, wallet.address);
  expect((await settled(server, own.planId)).status).toBe('complete');
  await lookAround(server, own.planId, own.stageId);

  // Failing answers, and the login through the agent.
  for (const answer of ['401', '500', 'garbage', 'bytes'] as const) {
    service.state.answer = answer;
    await lookAround(server, own.planId, own.stageId);
    await server.call('create_agent_key', { name: 'again', token: secrets.jwt });
    await build(server, wallet.address).catch((error: unknown) =>
      outputs.push({ from: `build while ${answer}`, text: String(error) }),
    );
  }
  service.state.answer = 'echo';
  await server.call('create_agent_key', { name: 'again', token: secrets.jwt });
  await server.call('create_agent_key', { name: 'again', token: `${secrets.jwt} ` });
  await server.request('resources/read', { uri: `plan://${secrets.apiKey}/stages/x` });
  await server.call('get_plan', { planId: secrets.apiKey, passphrase: secrets.passphrase });
  for (const answer of ['401', '500', 'garbage'] as const) {
    rpc.state.answer = answer;
    await lookAround(server, own.planId, own.stageId);
    await server.call('submit_plan', { planId: own.planId });
  }
  rpc.state.answer = 'echo';
  await server.stop('SIGTERM');

  // Servers without a passphrase, with another key, and with a password in the RPC address.
  for (const [more, args] of [
    [{ COUNTERSIGN_PASSPHRASE: `${secrets.passphrase}?` }, []],
    [{ COUNTERSIGN_SECRET_STORE: 'env', COUNTERSIGN_API_KEY: secrets.apiKey }, []],
    [{ COUNTERSIGN_RPC_URL: withUser }, ['--read-only']],
  ] as const) {
    const wrong = await serve([...args], { ...more });
    await lookAround(wrong, own.planId, own.stageId);
    await wrong.stop('SIGTERM');
  }

  // Crash with secrets in the error, and a kill during work.
  const crashing = await serve([], {
    NODE_OPTIONS: `--import ${CRASH}`,
    // A variable cannot hold a zero byte.
    CANARIES: canaries
      .flatMap(({ value }) => formsOf(value))
      .join(' ')
      .replaceAll('\0', ''),
  });
  await crashing.call('get_status');
  const ended = new Promise<number | null>((done) => crashing.child.once('exit', done));
  crashing.child.kill('SIGUSR2');
  expect(await ended).toBe(70);
  expect(crashing.stderr).toContain('stopped by an internal error');
  const killed = await serve();
  const last = await build(killed, wallet.address);
  void killed.call('submit_plan', { planId: last.planId });
  await new Promise((done) => setTimeout(done, 400));
  await killed.stop('SIGKILL');
  const left = filesBelow(userHome);
  expect(left.some(({ path }) => path.endsWith('-wal'))).toBe(true);

  for (const words of [['plans'], ['audit', 'show'], ['audit', 'verify'], ['policy', 'explain', policy()]])
    await command(words);
  for (const { child, stderr } of servers)
    outputs.push({ from: `server ${child.pid} (stderr)`, text: stderr });

  // All paths were exercised: the service received the key, the RPC its tokens, the webhook its own, and there are
  // files to search.
  expect(rpc.state.asked).toContain(`/hooks/${secrets.webhook}`);
  expect(outputs.map(({ text: output }) => output).join('\n')).toContain('Webhook 2 was not notified');
  expect(service.state.asked.length).toBeGreaterThan(30);
  expect(rpc.state.asked).toContain(`/v2/${secrets.rpcPath}?api-key=${secrets.rpcQuery}`);
  const files = [...left, ...filesBelow(userHome)];
  expect(files.map(({ path }) => path).join(' ')).toMatch(/\.db|\.sqlite/);
  expect(outputs.some(({ text: output }) => output.includes('approval_required'))).toBe(true);

  const leaks = [
    ...outputs.flatMap(({ from, text: output }) =>
      found(output, canaries).map((label) => `${from}: ${label}`),
    ),
    ...files.flatMap(({ path, bytes }) => found(bytes, canaries).map((label) => `${path}: ${label}`)),
  ];
  expect(leaks).toEqual([]);
});
