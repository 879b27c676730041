/** Several agents at one server with one wallet: separate plans, policies and tools, without access to each other's. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { policyTemplate } from '../../../src/review/templates/templates.ts';
import { COMMAND, type Fields, object, objects, someAddress, text } from '../../e2e/harness.ts';
import { eventually } from '../../eventually.ts';
import { modern, modernHeaders, post } from './served.ts';

const SOL = 'So11111111111111111111111111111111111111112';
const tokens = { anna: 'a'.repeat(40), bela: 'b'.repeat(40), reader: 'r'.repeat(40) };
type Name = keyof typeof tokens;

let folder: string;
let child: ChildProcess;
let url: string;
let lines: Fields[];
const agents = new Map<Name, Client>();
/** Number of questions answered by an agent's client. */
let answered = 0;

const written = (name: string, content: string): string => {
  const path = join(folder, name);
  writeFileSync(path, content, { mode: 0o600 });
  return path;
};

/** Starts the built command. Returns its address once it serves. */
async function start(args: readonly string[]): Promise<string> {
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !name.startsWith('COUNTERSIGN_')),
  );
  child = spawn(process.execPath, [COMMAND, 'serve', '--sandbox', '--http', '--port', '0', ...args], {
    env: { ...env, COUNTERSIGN_HOME: join(folder, 'home'), COUNTERSIGN_NO_BROWSER: '1' },
  });
  lines = [];
  let kept = '';
  return new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`ended with ${code}: ${JSON.stringify(lines)}`)));
    child.stderr?.on('data', (chunk) => {
      kept += String(chunk);
      for (let end = kept.indexOf('\n'); end >= 0; end = kept.indexOf('\n')) {
        lines.push(object(JSON.parse(kept.slice(0, end))));
        kept = kept.slice(end + 1);
        const found = /at (http:\S+)/.exec(String(lines.at(-1)?.message))?.[1];
        if (found !== undefined) resolve(found);
      }
    });
  });
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'countersign-principals-'));
  for (const [name, token] of Object.entries(tokens)) written(`${name}.token`, token);
  const sandbox = policyTemplate('sandbox', { wallet: someAddress(), network: someAddress() });
  written('allows.json', JSON.stringify({ ...sandbox, id: 'allows' }));
  const rules = sandbox.rules.map((rule) => ({ ...rule, effect: 'require_approval' }));
  const approval = { ...sandbox.approval, channels: ['elicitation', 'page'] };
  written('asks.json', JSON.stringify({ ...sandbox, id: 'asks', rules, approval }));
  const file = written(
    'principals.json',
    JSON.stringify({
      version: 1,
      principals: [
        { name: 'anna', is: [{ tokenFile: 'anna.token' }], wallets: 'all', policy: 'allows.json' },
        {
          name: 'bela',
          is: [{ tokenFile: 'bela.token' }],
          wallets: 'all',
          policy: 'asks.json',
          toolsets: ['trade'],
        },
        {
          name: 'reader',
          is: [{ tokenFile: 'reader.token' }],
          wallets: 'all',
          policy: 'asks.json',
          readOnly: true,
        },
      ],
    }),
  );
  // Nothing listens there: failed webhook calls are logged.
  url = await start(['--set', `principals=${file}`, '--set', 'webhook=http://localhost:9/hook']);
  for (const name of ['anna', 'bela', 'reader'] as const) {
    // A client that answers every question itself, like an agent that wants its plan to land.
    const client = new Client({ name, version: '1' }, { capabilities: { elicitation: { form: {} } } });
    client.setRequestHandler('elicitation/create', async () => {
      answered += 1;
      return { action: 'accept' as const, content: { decision: 'approve' } };
    });
    const headers = { authorization: `Bearer ${tokens[name]}` };
    await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
    agents.set(name, client);
  }
});
afterAll(async () => {
  for (const client of agents.values()) await client.close();
  child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

async function call(name: Name, tool: string, args: Fields = {}): Promise<{ error: boolean; data: Fields }> {
  const result = await agents.get(name)?.callTool({ name: tool, arguments: args });
  return { error: result?.isError === true, data: object(result?.structuredContent) };
}
async function ok(name: Name, tool: string, args: Fields = {}): Promise<Fields> {
  const { error, data } = await call(name, tool, args);
  if (error) throw new Error(`${tool}: ${JSON.stringify(data)}`);
  return data;
}
/** Submits a plan until it no longer runs. */
async function submitted(name: Name, { planId }: Fields): Promise<Fields> {
  for (;;) {
    const plan = object((await ok(name, 'submit_plan', { planId: text(planId), waitSeconds: 2 })).plan);
    if (plan.status !== 'running') return plan;
  }
}

async function swap(name: Name): Promise<Fields> {
  const { launches } = await ok('anna', 'get_launch_feed');
  const outputMint = text(objects(launches)[0]?.tokenMint);
  const quote = await ok(name, 'get_swap_quote', { inputMint: SOL, outputMint, amount: '10000000' });
  return object((await ok(name, 'create_swap', { requestId: text(quote.requestId) })).plan);
}

describe('several principals of one wallet', () => {
  test('are each served the tools the file gives them', async () => {
    const names = async (name: Name) =>
      (await agents.get(name)?.listTools())?.tools.map((tool) => tool.name) ?? [];
    expect(await names('anna')).toContain('create_fee_share_config');
    expect(await names('bela')).toContain('create_swap');
    expect(await names('bela')).not.toContain('create_fee_share_config');
    expect(await names('reader')).not.toContain('submit_plan');
  });

  test('are each judged by their own policy', async () => {
    expect(await ok('anna', 'get_policy')).toMatchObject({ policyId: 'allows' });
    expect(await ok('bela', 'get_policy')).toMatchObject({ policyId: 'asks' });
  });

  test("T123 see their own plans and decisions, and others' as nonexistent", async () => {
    const one = await swap('anna');
    const other = await swap('bela');
    expect(one.status).toBe('ready');
    expect(other.status).toBe('approval_required');
    const mine = text(one.planId);
    const theirs = text(other.planId);
    const listed = async (name: Name) =>
      objects((await ok(name, 'list_plans')).plans).map(({ planId }) => planId);
    expect(await listed('anna')).toEqual([mine]);
    expect(await listed('bela')).toEqual([theirs]);
    expect(await listed('reader')).toEqual([]);

    const invented = 'plan-00000000000000000000';
    for (const tool of ['get_plan', 'review_plan', 'submit_plan', 'cancel_plan']) {
      const shown = await call('bela', tool, { planId: mine });
      const none = await call('bela', tool, { planId: invented });
      expect(shown.error, tool).toBe(true);
      expect(JSON.stringify(shown.data).replaceAll(mine, invented), tool).toBe(JSON.stringify(none.data));
    }
    const decisions = async (name: Name, filter: Fields = {}) =>
      objects((await ok(name, 'list_decisions', filter)).decisions).map(({ planId }) => planId);
    expect(new Set(await decisions('anna'))).toEqual(new Set([mine]));
    expect(new Set(await decisions('bela'))).toEqual(new Set([theirs]));
    expect(await decisions('bela', { planId: mine })).toEqual([]);
    await expect(agents.get('bela')?.readResource({ uri: `plan://${mine}/stages/swap` })).rejects.toThrow();
  });

  test('with the same request get a plan each, and one executes what the other may not', async () => {
    const first = await swap('anna');
    expect(await submitted('anna', first)).toMatchObject({ status: 'complete' });
    const second = await swap('bela');
    expect(second.planId).not.toBe(first.planId);
    expect(await submitted('bela', second)).toMatchObject({ status: 'approval_required' });
    const day = async (name: Name) => JSON.stringify(await ok(name, 'get_activity'));
    expect(await day('anna')).toContain(text(first.planId));
    expect(await day('bela')).not.toContain(text(first.planId));
    expect(await day('reader')).not.toContain('plan-');
  });

  test('are not asked through their own client, so that none approves its own plan', async () => {
    const plan = await swap('bela');
    expect(await submitted('bela', plan)).toMatchObject({
      status: 'approval_required',
      approval: { state: 'pending', where: expect.stringContaining('approval page') },
    });
    expect(answered).toBe(0);
  });

  test("T123 cannot use another's quote", async () => {
    const { launches } = await ok('anna', 'get_launch_feed');
    const outputMint = text(objects(launches)[0]?.tokenMint);
    const quote = await ok('anna', 'get_swap_quote', { inputMint: SOL, outputMint, amount: '20000000' });
    const taken = await ok('bela', 'create_swap', { requestId: text(quote.requestId) });
    expect(object(taken.plan)).toMatchObject({
      status: 'denied',
      decision: { reasonCodes: expect.arrayContaining(['REQUEST_MISMATCH']) },
    });
  });

  test('T124 cannot replace the shared API key', async () => {
    expect(await call('anna', 'create_agent_key', { name: 'mine' })).toMatchObject({
      error: true,
      data: { hint: expect.stringContaining('countersign login') },
    });
  });

  test('are named in every line of the log, which holds no token', async () => {
    const calls = lines.filter(({ method }) => method === 'tools/call');
    expect(new Set(calls.map(({ principal }) => principal))).toEqual(new Set(['anna', 'bela', 'reader']));
    expect(calls.map(({ tool }) => tool)).toContain('submit_plan');
    for (const token of Object.values(tokens)) expect(JSON.stringify(lines)).not.toContain(token);
  });
});

test('are named with the request in every log line of it, including lines after its answer', async () => {
  await eventually(() => expect(JSON.stringify(lines)).toContain('was not notified of'));
  const logLine = lines.find(({ message }) => String(message).includes('was not notified of'));
  const record = lines.find(({ request, status }) => status !== undefined && request === logLine?.request);
  expect(logLine).toMatchObject({ principal: 'bela', request: expect.stringMatching(/^[0-9a-f-]{36}$/) });
  expect(record).toMatchObject({ principal: 'bela', tool: 'submit_plan' });
  expect(JSON.stringify(lines)).not.toContain('/hook');
  // Shared initialization belongs to no principal.
  for (const { message, request } of lines)
    if (/^serving|principals file/.test(String(message))) expect(request).toBeUndefined();
});

test('T124 are unchanged by a changed file until the owner accepts it, and then without a restart', async () => {
  const path = join(folder, 'principals.json');
  const file = object(JSON.parse(readFileSync(path, 'utf8')));
  const [anna, bela] = objects(file.principals);
  written('carla.token', 'c'.repeat(40));
  const carla = { ...bela, name: 'carla', is: [{ tokenFile: 'carla.token' }] };
  written(
    'principals.json',
    JSON.stringify({ ...file, principals: [anna, { ...bela, toolsets: ['plan'] }, carla] }),
  );
  await eventually(() => expect(JSON.stringify(lines)).toContain('countersign principals accept'));
  const requestAs = (token: string) =>
    post(url, modern('tools/list'), {
      ...modernHeaders('tools/list'),
      authorization: `Bearer ${token}`,
    });
  expect((await requestAs(tokens.reader)).status).toBe(200);
  expect((await requestAs('c'.repeat(40))).status).toBe(401);

  const accepted = spawnSync(process.execPath, [COMMAND, 'principals', 'accept', path], {
    env: { ...process.env, COUNTERSIGN_HOME: join(folder, 'home') },
    encoding: 'utf8',
  });
  expect(accepted).toMatchObject({ status: 0, stdout: expect.stringMatching(/^Accepted [0-9a-f]{64}\.\n$/) });
  await eventually(async () => expect((await requestAs('c'.repeat(40))).status).toBe(200));
  expect((await requestAs(tokens.reader)).status).toBe(401);
  const served = (await requestAs(tokens.bela)).body;
  expect(served).toContain('"get_plan"');
  expect(served).not.toContain('"create_swap"');
  // Sessions of unchanged principals continue; those of changed ones end.
  expect((await agents.get('anna')?.listTools())?.tools.length).toBeGreaterThan(5);
  await expect(agents.get('bela')?.listTools()).rejects.toThrow();
});

test('a server whose log is no longer read continues', async () => {
  child.stderr?.destroy();
  for (const authorization of ['Bearer wrong', `Bearer ${tokens.anna}`, 'Bearer wrong'])
    await post(url, modern('tools/list'), { ...modernHeaders('tools/list'), authorization });
  const answer = await post(url, modern('tools/list'), {
    ...modernHeaders('tools/list'),
    authorization: `Bearer ${tokens.anna}`,
  });
  expect(answer.status).toBe(200);
});

test('SIGTERM ends the server with exit code 0', async () => {
  for (const client of agents.values()) await client.close();
  agents.clear();
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  expect(await ended).toBe(0);
});
