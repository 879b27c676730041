/** HTTP server operation: readiness, and shutdown. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import { openLedger } from '../../../src/ledger/sqlite/sqlite.ts';
import { policyTemplate } from '../../../src/review/templates/templates.ts';
import { COMMAND, type Fields, object, objects, someAddress, text } from '../../e2e/harness.ts';
import { eventually } from '../../eventually.ts';
import { modern, modernHeaders, post } from './served.ts';

const TOKEN = 'a'.repeat(40);
const OTHER = 'b'.repeat(40);
const SOL = 'So11111111111111111111111111111111111111112';

let folder: string;
let child: ChildProcess;
let origin: string;
let client: Client;
const lines: Fields[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'countersign-drain-'));
  const write = (name: string, content: string) =>
    writeFileSync(join(folder, name), content, { mode: 0o600 });
  write('token', TOKEN);
  write('other', OTHER);
  write(
    'policy.json',
    JSON.stringify(policyTemplate('sandbox', { wallet: someAddress(), network: someAddress() })),
  );
  const anna = {
    name: 'anna',
    is: [{ tokenFile: 'token' }],
    wallets: 'all',
    policy: 'policy.json',
    callsAtOnce: 4,
    callsPerMinute: 6_000,
  };
  const bela = { ...anna, name: 'bela', is: [{ tokenFile: 'other' }], callsAtOnce: 1 };
  write('principals.json', JSON.stringify({ version: 1, principals: [anna, bela] }));
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !name.startsWith('COUNTERSIGN_')),
  );
  // Slow blocks keep transactions in flight at shutdown.
  const args = [
    '--http',
    '--port',
    '0',
    '--set',
    'slot-ms=1500',
    '--set',
    `principals=${join(folder, 'principals.json')}`,
  ];
  child = spawn(process.execPath, [COMMAND, 'serve', '--sandbox', ...args], {
    env: { ...env, COUNTERSIGN_HOME: join(folder, 'home'), COUNTERSIGN_NO_BROWSER: '1' },
  });
  let kept = '';
  origin = await new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`ended with ${code}: ${JSON.stringify(lines)}`)));
    child.stderr?.on('data', (chunk) => {
      kept += String(chunk);
      for (let end = kept.indexOf('\n'); end >= 0; end = kept.indexOf('\n')) {
        lines.push(object(JSON.parse(kept.slice(0, end))));
        kept = kept.slice(end + 1);
        const found = /at (http:\S+)\/mcp/.exec(String(lines.at(-1)?.message))?.[1];
        if (found !== undefined) resolve(found);
      }
    });
  });
  client = new Client({ name: 'anna', version: '1' });
  const headers = { authorization: `Bearer ${TOKEN}` };
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${origin}/mcp`), { requestInit: { headers } }),
  );
});
afterAll(() => {
  child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

async function call(tool: string, args: Fields = {}): Promise<Fields> {
  const result = await client.callTool({ name: tool, arguments: args });
  if (result.isError === true) throw new Error(`${tool}: ${JSON.stringify(result.structuredContent)}`);
  return object(result.structuredContent);
}
const ready = () => post(`${origin}/readyz`, '', {}, 'GET');
const requestPlan = () =>
  post(`${origin}/mcp`, modern('tools/list'), {
    ...modernHeaders('tools/list'),
    authorization: `Bearer ${OTHER}`,
  });

test('a server with a ledger, a signer and a chain is ready', async () => {
  await eventually(async () => expect((await ready()).status).toBe(200));
});

test('a server told to stop reports so, refuses new calls, answers open ones at a journaled state, releases its leases and exits with 0', async () => {
  const { launches } = await call('get_launch_feed');
  const outputMint = text(objects(launches)[0]?.tokenMint);
  const quote = await call('get_swap_quote', { inputMint: SOL, outputMint, amount: '10000000' });
  const { planId } = object((await call('create_swap', { requestId: text(quote.requestId) })).plan);
  const submitted = call('submit_plan', { planId: text(planId), waitSeconds: 55 });
  const signed = () => call('get_plan', { planId: text(planId) }).then(({ plan }) => JSON.stringify(plan));
  await eventually(async () => expect(await signed()).toContain('"signature"'));

  // Another agent's unfinished request body keeps the server busy until the test releases it.
  const socket = connect(Number(new URL(origin).port), '127.0.0.1');
  await new Promise<void>((resolve) => socket.once('connect', resolve));
  socket.on('error', () => undefined);
  socket.write(
    `POST /mcp HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${OTHER}\r\ncontent-type: application/json\r\naccept: application/json, text/event-stream\r\ncontent-length: 1000\r\n\r\n{`,
  );
  await eventually(async () => expect((await requestPlan()).status).toBe(429));

  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  const stopping = await eventually(async () => {
    const answer = await ready();
    expect(answer.status).toBe(503);
    return answer;
  });
  expect(stopping.body).toContain('it is stopping');
  const refused = await requestPlan();
  expect(refused.status).toBe(503);
  expect(refused.headers['retry-after']).toBe('1');
  expect(object((await submitted).plan)).toMatchObject({
    planId,
    status: expect.stringMatching(/^(running|complete)$/),
  });
  socket.destroy();
  expect(await ended).toBe(0);
  expect(JSON.stringify(lines)).not.toContain(TOKEN);

  const ledger = openLedger({ home: join(folder, 'home'), clock: systemClock });
  try {
    const rows = await ledger.rows('journal', { planId: text(planId) });
    expect(rows).toMatchObject([{ state: expect.stringMatching(/^(signed|sent|confirmed|finalized)$/) }]);
    const wallet = rows[0]?.wallet ?? '';
    expect(await ledger.lease({ wallet, holder: 'another host' }, 1_000)).toBeDefined();
  } finally {
    await ledger.close();
  }
});
