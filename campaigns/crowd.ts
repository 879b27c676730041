/**
 * `npm run crowd`: one host over HTTP and 500 agents, each a principal with its own session. Prints the host's idle
 * memory, and the read latency at 5,000 calls a minute next to that of a single agent in the same run.
 */
import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { COMMAND, type Fields } from '../test/e2e/harness.ts';
import { openSharedHome } from '../test/e2e/sharedHome.ts';

const { values } = parseArgs({
  options: { agents: { type: 'string' }, calls: { type: 'string' }, seconds: { type: 'string' } },
});
const AGENTS = Number(values.agents ?? 500);
const PER_MINUTE = Number(values.calls ?? 5_000);
const SECONDS = Number(values.seconds ?? 60);
const print = (line: object): void => void process.stdout.write(`${JSON.stringify(line)}\n`);

const home = await openSharedHome(100);
const tokenOf = (index: number): string => `agent-${index}-`.padEnd(40, 'x');
const principals = Array.from({ length: AGENTS }, (_, index) => {
  writeFileSync(join(home.wallet.home, `agent-${index}.token`), tokenOf(index), { mode: 0o600 });
  return {
    name: `agent-${index}`,
    is: [{ tokenFile: `agent-${index}.token` }],
    wallets: 'all',
    policy: 'policy.json',
    callsPerMinute: 100_000,
  };
});
const file = join(home.wallet.home, 'principals.json');
writeFileSync(file, JSON.stringify({ version: 1, principals }), { mode: 0o600 });

const live = ['--live', '--root-url', home.sandbox.rootUrl, '--rpc-url', home.sandbox.rpcUrl];
const host = spawn(
  process.execPath,
  [COMMAND, 'serve', '--http', '--port', '0', '--set', `principals=${file}`, ...live],
  { env: { ...process.env, ...home.env, COUNTERSIGN_NO_BROWSER: '1' }, stdio: ['ignore', 'ignore', 'pipe'] },
);
const url = await new Promise<string>((resolve, reject) => {
  let output = '';
  host.once('exit', () => reject(new Error(output)));
  host.stderr.on('data', (chunk) => {
    output = `${output}${chunk}`.slice(-10_000);
    const found = /at (http:[^"\s]+)/.exec(output)?.[1];
    if (found !== undefined) resolve(found);
  });
});
const residentMb = (): number =>
  Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${host.pid}/status`, 'utf8'))?.[1]) / 1024);
const sockets = new Agent({ keepAlive: true, maxSockets: 64 });

/** Sends a message as an agent. Returns the session and the latency in milliseconds. */
function post(agent: number, message: Fields, session?: string): Promise<{ session: string; ms: number }> {
  const began = performance.now();
  return new Promise((resolve, reject) => {
    const payload = request(
      url,
      {
        method: 'POST',
        agent: sockets,
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          authorization: `Bearer ${tokenOf(agent)}`,
          ...(session === undefined ? {} : { 'mcp-session-id': session }),
        },
      },
      (response) => {
        let body = '';
        response.on('data', (piece) => {
          body += piece;
        });
        response.on('end', () => {
          const failed = (response.statusCode ?? 0) >= 300 || body.includes('"isError":true');
          if (failed) reject(new Error(`${response.statusCode}: ${body.slice(0, 300)}`));
          else
            resolve({
              session: String(response.headers['mcp-session-id'] ?? session ?? ''),
              ms: performance.now() - began,
            });
        });
      },
    );
    payload.on('error', reject);
    payload.end(JSON.stringify({ jsonrpc: '2.0', ...message }));
  });
}

const initialize = {
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'crowd', version: '1' } },
};
const READS = ['get_policy', 'list_plans', 'list_decisions'];
const read = (call: number): Fields => ({
  id: call + 2,
  method: 'tools/call',
  params: { name: READS[call % READS.length], arguments: {} },
});
const p95 = (times: readonly number[]): number =>
  [...times].sort((a, b) => a - b)[Math.floor(times.length * 0.95)] ?? Number.NaN;
const rounded = (ms: number): number => Math.round(ms * 10) / 10;
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const first = residentMb();
const sessions: string[] = [];
for (let agent = 0; agent < AGENTS; agent += 1) {
  sessions.push((await post(agent, initialize)).session);
  await post(agent, read(agent), sessions[agent]);
}
await pause(5_000);
const idle = residentMb();
print({ agents: AGENTS, residentMbBefore: first, residentMbIdle: idle });

const alone: number[] = [];
for (let call = 0; call < 300; call += 1) alone.push((await post(0, read(call), sessions[0])).ms);
print({ agents: 1, calls: alone.length, p95Ms: rounded(p95(alone)) });

const crowd: number[] = [];
const working: Promise<void>[] = [];
const began = performance.now();
const total = Math.round((PER_MINUTE * SECONDS) / 60);
for (let call = 0; call < total; call += 1) {
  const due = began + (call * 60_000) / PER_MINUTE;
  if (due > performance.now()) await pause(due - performance.now());
  const agent = call % AGENTS;
  working.push(
    post(agent, read(call), sessions[agent]).then(({ ms }) => {
      crowd.push(ms);
    }),
  );
}
await Promise.all(working);
const seconds = (performance.now() - began) / 1_000;
print({
  agents: AGENTS,
  calls: crowd.length,
  callsPerMinute: Math.round((crowd.length * 60) / seconds),
  p95Ms: rounded(p95(crowd)),
  timesOneAgent: rounded(p95(crowd) / p95(alone)),
  residentMbAfter: residentMb(),
});
sockets.destroy();
const ended = new Promise((resolve) => host.once('exit', resolve));
host.kill('SIGTERM');
print({ exitCode: await ended });
home.close();
