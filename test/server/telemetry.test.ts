/**
 * OpenTelemetry over stdio and HTTP: spans and counts, absence of secrets and agent text, and isolation from a
 * misbehaving module.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { policyTemplate } from '../../src/review/templates/templates.ts';
import {
  COMMAND,
  createHome,
  liveEnvironment,
  type SandboxProcess,
  someAddress,
  startSandbox,
  startServer,
  text,
} from '../e2e/harness.ts';
import { runHere } from '../e2e/inProcess.ts';
import { eventually } from '../eventually.ts';
import { type Collector, writeCollector } from './collector.ts';
import { modern, modernHeaders, post } from './http/served.ts';
import { type Fields, object, spawnServer } from './spawned.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';
const OTHER_TRACE = 'aaaabbbbccccdddd1111222233334444';
const parentOf = (span: Fields | undefined) => object(span?.parent);
const attributesOf = (line: Fields | undefined) => object(line?.attributes);

let folder: string;
let sandbox: SandboxProcess;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'countersign-telemetry-'));
  sandbox = await startSandbox(['--set', 'slot-ms=40']);
});
afterAll(() => {
  sandbox.stop();
  rmSync(folder, { recursive: true, force: true });
});

const MARK = 'planted-by-the-agent';

/** Records the telemetry of one landed plan and of failing calls. All agent-written text is marked. */
async function aDay(): Promise<{ collector: Collector; secrets: readonly string[]; stderr: string }> {
  const wallet = createHome();
  onTestFinished(() => rmSync(wallet.home, { recursive: true, force: true }));
  const env = liveEnvironment(wallet, sandbox);
  await sandbox.rpc('requestAirdrop', [wallet.address, 50_000_000_000]);
  const policy = join(wallet.home, 'policy.json');
  const init = ['policy', 'init', '--template', 'sandbox', '--wallet', wallet.address, '--out', policy];
  expect((await runHere([...init, '--rpc-url', sandbox.rpcUrl], env)).code).toBe(0);
  const collector = writeCollector(join(folder, 'day'), { beside: true });
  const where = ['--live', '--root-url', sandbox.rootUrl, '--rpc-url', sandbox.rpcUrl, '--policy', policy];
  const server = await startServer([...where, '--set', `telemetry=${collector.path}`], env);
  await eventually(() => expect(server.stderr).toContain('telemetry is sent to'));
  const traceparent = `00-${TRACE}-${SPAN}-00`;
  const _meta = { traceparent, tracestate: `a=${MARK}`, baggage: `b=${MARK}`, progressToken: MARK };
  const call = (name: string, args: Fields) => server.request('tools/call', { name, arguments: args, _meta });
  const answered = await call('create_token_info', {
    name: MARK,
    symbol: 'PLANT',
    description: MARK,
    imageUrl: `https://example.com/${MARK}.png`,
  });
  const baseMint = text(object(object(answered.result).structuredContent).tokenMint);
  const built = await call('create_fee_share_config', {
    baseMint,
    flow: 'damm_v2_direct',
    claimersArray: [wallet.address],
    basisPointsArray: [10_000],
  });
  const { planId } = object(object(object(built.result).structuredContent).plan);
  const done = await call('submit_plan', { planId, waitSeconds: 60 });
  expect(object(object(object(done.result).structuredContent).plan).status).toBe('complete');
  await call('get_plan', { planId: `${MARK}-no-plan` });
  await call(MARK, { [MARK]: MARK });
  await server.request('resources/read', { uri: `plan://${MARK}/stages/x` });
  await server.request('prompts/get', { name: MARK });
  await server.request(MARK, {});
  server.child.stdin?.end();
  await new Promise((resolve) => server.child.once('exit', resolve));
  return { collector, secrets: [sandbox.apiKey, wallet.address, baseMint], stderr: server.stderr };
}

test('T135 over stdin each call is a span with its parent, its decisions and service calls below it, without secrets or agent text', async () => {
  const { collector, secrets, stderr } = await aDay();
  const [submitted] = collector.spans('tools/call submit_plan');
  expect(submitted).toMatchObject({
    traceId: TRACE,
    kind: 1,
    // The agent set a parent and "not sampled": the ids are used, the flag is not.
    parent: { traceId: TRACE, spanId: SPAN, isRemote: true, traceFlags: 1 },
    attributes: {
      'mcp.method.name': 'tools/call',
      'mcp.protocol.version': '2025-11-25',
      'gen_ai.tool.name': 'submit_plan',
      'gen_ai.operation.name': 'execute_tool',
      'network.transport': 'pipe',
    },
  });
  // Children of the call: the decisions.
  expect(collector.spans('decide').map((span) => parentOf(span).spanId)).toContain(submitted?.spanId);
  const signs = collector.spans('decide').map(attributesOf);
  expect(signs).toContainEqual(
    expect.objectContaining({
      'countersign.verdict': 'allow',
      'countersign.purpose': 'sign',
      'countersign.operation': expect.stringMatching(/^[a-z_]+$/),
      'countersign.plan': expect.stringMatching(/^plan-/),
    }),
  );
  const [built] = collector.spans('tools/call create_fee_share_config');
  expect(collector.spans('service feeShareConfig')[0]).toMatchObject({
    kind: 2,
    parent: { spanId: built?.spanId },
  });
  // Failures have a code, by the conventions.
  expect(collector.spans('tools/call get_plan')[0]).toMatchObject({
    attributes: { 'error.type': 'tool_error', 'countersign.code': 'NOT_FOUND' },
    status: { code: 2 },
  });
  // Metrics: durations in seconds, without the ids of plans and requests.
  const lines = collector.lines();
  const durations = lines.filter((line) => line.metric === 'countersign.duration');
  expect(durations.every(({ unit }) => unit === 's')).toBe(true);
  const measured = durations.map(attributesOf);
  expect(measured).toContainEqual(expect.objectContaining({ 'gen_ai.tool.name': 'submit_plan' }));
  expect(measured).toContainEqual(
    expect.objectContaining({
      'countersign.span': 'decide',
      'countersign.verdict': 'allow',
      'countersign.purpose': 'sign',
    }),
  );
  expect(JSON.stringify(measured)).not.toContain('plan-');
  expect(lines.at(-1)).toEqual({ shutdown: true });
  // No agent text, no key, no address of a wallet or a token.
  const all = JSON.stringify(lines);
  for (const hidden of [MARK, 'PLANT', ...secrets]) expect(all).not.toContain(hidden);
  // SDK output never reaches the protocol: every line on stdout was JSON-RPC, or the test had ended.
  expect(stderr).toContain('the SDK says something');
});

describe('over HTTP', () => {
  const token = 't'.repeat(40);
  let child: ChildProcess;
  let url: string;
  let collector: Collector;
  const lines: Fields[] = [];

  beforeAll(async () => {
    const home = join(folder, 'http');
    collector = writeCollector(home);
    const written = (name: string, content: string): string => {
      writeFileSync(join(home, name), content, { mode: 0o600 });
      return join(home, name);
    };
    const policy = policyTemplate('sandbox', { wallet: someAddress(), network: someAddress() });
    written('policy.json', JSON.stringify(policy));
    written('anna.token', token);
    const anna = { name: 'anna', is: [{ tokenFile: 'anna.token' }], wallets: 'all', policy: 'policy.json' };
    const file = written('principals.json', JSON.stringify({ version: 1, principals: [anna] }));
    const env = Object.fromEntries(
      Object.entries(process.env).filter(([name]) => !name.startsWith('COUNTERSIGN_')),
    );
    const args = ['serve', '--sandbox', '--http', '--port', '0', '--set', `principals=${file}`];
    child = spawn(process.execPath, [COMMAND, ...args], {
      // Set by variable, as in a container.
      env: { ...env, COUNTERSIGN_HOME: join(home, 'home'), COUNTERSIGN_TELEMETRY: collector.path },
    });
    let kept = '';
    child.stderr?.on('data', (chunk) => {
      kept += String(chunk);
      for (let end = kept.indexOf('\n'); end >= 0; end = kept.indexOf('\n')) {
        if (kept.startsWith('{')) lines.push(object(JSON.parse(kept.slice(0, end))));
        kept = kept.slice(end + 1);
      }
    });
    await eventually(() => {
      const messages = lines.map(({ message }) => String(message)).join('\n');
      expect(messages).toContain('telemetry is sent to');
      url = /at (http:\S+)/.exec(messages)?.[1] ?? '';
      expect(url).not.toBe('');
    });
  });
  afterAll(() => void child.kill('SIGKILL'));

  test('a request is a span with its principal and logged request id; its parent comes from the message, else from the header', async () => {
    const call = (_meta: object, headers: Record<string, string>) => {
      const body = object(modern('tools/call', { name: 'get_status', arguments: {} }));
      const params = object(body.params);
      const message = { ...body, params: { ...params, _meta: { ...object(params._meta), ..._meta } } };
      return post(url, message, {
        ...modernHeaders('tools/call', 'get_status'),
        authorization: `Bearer ${token}`,
        ...headers,
      });
    };
    const inMessage = { traceparent: `00-${TRACE}-${SPAN}-01` };
    const inHeader = { traceparent: `00-${OTHER_TRACE}-${SPAN}-01` };
    expect((await call(inMessage, inHeader)).status).toBe(200);
    expect((await call({}, inHeader)).status).toBe(200);
    expect((await call({ traceparent: `00-${'0'.repeat(32)}-${SPAN}-01` }, {})).status).toBe(200);
    expect((await call({ traceparent: { toString: 'no text' } }, { traceparent: token })).status).toBe(200);
    const spans = collector.spans('tools/call get_status');
    expect(spans.map(({ traceId }) => traceId).slice(0, 2)).toEqual([TRACE, OTHER_TRACE]);
    expect(spans.map((span) => 'parent' in span)).toEqual([true, true, false, false]);
    for (const span of spans)
      expect(span.attributes).toMatchObject({
        'countersign.principal': 'anna',
        'network.transport': 'tcp',
        'mcp.protocol.version': '2026-07-28',
      });
    const logged = lines.filter(({ tool }) => tool === 'get_status').map(({ request }) => request);
    expect(spans.map((span) => attributesOf(span)['countersign.request'])).toEqual(logged);
    expect(JSON.stringify(collector.lines())).not.toContain(token);
  });

  test('pending spans are sent before the server ends', async () => {
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    expect(await ended).toBe(0);
    expect(collector.lines().at(-1)).toEqual({ shutdown: true });
  });
});

describe('T136 a telemetry module that', () => {
  for (const how of ['fails to load', 'never loads', 'throws', 'never ends'])
    test(`${how} changes no answer and no exit`, async () => {
      const collector = writeCollector(join(folder, how.replaceAll(' ', '-')), { how });
      const server = spawnServer(['--set', `telemetry=${collector.path}`]);
      await server.initialize();
      if (how === 'fails to load' || how === 'throws' || how === 'never ends')
        await eventually(() => expect(server.stderr()).toContain('telemetry'));
      const answer = await server.request('tools/call', { name: 'get_status', arguments: {} });
      expect(object(answer.result).structuredContent).toMatchObject({ service: 'answering' });
      server.child.stdin.end();
      expect(await server.ended).toBe(0);
      expect(server.stderr()).not.toContain('a secret text');
      if (how === 'throws') expect(server.stderr()).toContain('the telemetry module throws');
      if (how === 'fails to load') expect(server.stderr()).toContain('cannot be used');
    });

  test('is missing changes nothing, and a module that registers nothing is reported', async () => {
    const path = join(folder, 'nothing.mjs');
    writeFileSync(path, 'export default () => undefined;');
    for (const [module, reason] of [
      [path, 'registered no OpenTelemetry SDK'],
      [join(folder, 'no-such-module.mjs'), 'cannot be used'],
    ] as const) {
      const server = spawnServer(['--set', `telemetry=${module}`]);
      await server.initialize();
      await eventually(() => expect(server.stderr()).toContain(reason));
      expect(object(await server.request('tools/list')).result).toBeDefined();
    }
  });
});

test('the documented module works with an SDK under its names', async () => {
  const own = join(folder, 'page');
  const collector = writeCollector(join(own, 'node_modules', '@opentelemetry', 'sdk-node'));
  const sdk = join(own, 'node_modules', '@opentelemetry', 'sdk-node');
  writeFileSync(join(sdk, 'package.json'), '{"name":"@opentelemetry/sdk-node","exports":"./sdk.mjs"}');
  writeFileSync(
    join(sdk, 'sdk.mjs'),
    `import register from './telemetry.mjs';
    export class NodeSDK {
      constructor(options) { console.error(JSON.stringify(options)); }
      start() { this.registered = register(); }
      async shutdown() { await (await this.registered).shutdown(); }
    }`,
  );
  const page = readFileSync('docs/fleet.md', 'utf8');
  const [, code = ''] = /```js file=telemetry.mjs\n([\s\S]*?)```/.exec(page) ?? [];
  writeFileSync(join(own, 'telemetry.mjs'), code);
  const server = spawnServer(['--set', `telemetry=${join(own, 'telemetry.mjs')}`]);
  await eventually(() => expect(server.stderr()).toContain('telemetry is sent to'));
  await server.initialize();
  await server.request('tools/call', { name: 'get_status', arguments: {} });
  server.child.stdin.end();
  expect(await server.ended).toBe(0);
  expect(server.stderr()).toContain('{"serviceName":"countersign","autoDetectResources":false}');
  expect(collector.spans('tools/call get_status')).toHaveLength(1);
  expect(collector.lines().at(-1)).toEqual({ shutdown: true });
});

test('without the option, an SDK set up by the environment receives nothing', async () => {
  const collector = writeCollector(join(folder, 'environment'));
  const loader = join(folder, 'environment', 'register.mjs');
  writeFileSync(loader, "import register from './telemetry.mjs';\nawait register();\n");
  const home = mkdtempSync(join(tmpdir(), 'countersign-telemetry-home-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const server = spawnServer([], { NODE_OPTIONS: `--import=${loader}` });
  // The loader prints before the server owns stdout: only later answers are read.
  server.child.stdout.removeAllListeners('data');
  let out = '';
  server.child.stdout.on('data', (chunk) => {
    out += chunk;
  });
  void server.initialize();
  void server.request('tools/call', { name: 'get_status', arguments: {} });
  await eventually(() => expect(out).toContain('"service":"answering"'));
  server.child.stdin.end();
  expect(await server.ended).toBe(0);
  expect(out).toContain('the SDK says something');
  expect(collector.lines()).toEqual([]);
});
