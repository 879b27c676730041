/**
 * Wall-clock campaign (`npm run flood`): the built server against clients that send more than they read and an RPC that
 * sends one byte a second. Prints the measurements and fails when a bound is exceeded (F03, F57). Memory is read from
 * /proc (Linux only).
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const COMMAND = resolve(import.meta.dirname, '../../dist/countersign.js');
const MAX_MEGABYTES = 250;
const CALLS = 40_000;

const failures: string[] = [];
const print = (line: string): void => void process.stdout.write(`${line}\n`);
const expect = (held: boolean, what: string): void => {
  print(`${held ? 'ok  ' : 'FAIL'} ${what}`);
  if (!held) failures.push(what);
};

/** Peak resident memory of a process, in megabytes. */
const peak = ({ pid }: ChildProcess): number =>
  Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;

function start(args: readonly string[], env: Record<string, string> = {}) {
  const home = mkdtempSync(join(tmpdir(), 'countersign-flood-'));
  const child = spawn(process.execPath, [COMMAND, 'serve', ...args], {
    env: { PATH: process.env.PATH ?? '', COUNTERSIGN_HOME: home, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const answers = new Map<unknown, { at: number; text: string }>();
  let stderr = '';
  let rest = '';
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  child.stdin.on('error', () => undefined);
  const write = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const read = () =>
    child.stdout.on('data', (chunk) => {
      rest += chunk;
      for (let end = rest.indexOf('\n'); end >= 0; end = rest.indexOf('\n')) {
        const text = rest.slice(0, end);
        rest = rest.slice(end + 1);
        answers.set(/"id":("?)([^,"}]+)\1/.exec(text)?.[2], { at: Date.now(), text });
      }
    });
  const answered = async (id: string, ms: number): Promise<number | undefined> => {
    for (const until = Date.now() + ms; Date.now() < until; await pause(20)) {
      const answer = answers.get(id);
      if (answer !== undefined) return answer.at;
    }
    return undefined;
  };
  write({
    id: 0,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'flood', version: '1' } },
  });
  write({ method: 'notifications/initialized' });
  return { child, write, read, answered, answers, stderr: () => stderr };
}

const tool = (id: number, name: string, args: object = {}) => ({
  id,
  method: 'tools/call',
  params: { name, arguments: args },
});

/** Sends many requests without reading, pings, then reads. */
async function floodWithoutReading(what: string, request: (id: number) => object): Promise<void> {
  const server = start(['--sandbox']);
  for (let id = 1; id <= CALLS; id++) server.write(request(id));
  await pause(20_000);
  server.write({ id: 'ping', method: 'ping' });
  await pause(2_000);
  const unread = peak(server.child);
  expect(unread < MAX_MEGABYTES, `${what}, nothing read: ${unread.toFixed(0)} MB at most`);
  const resumed = Date.now();
  server.read();
  const pinged = await server.answered('ping', 30_000);
  const took = pinged === undefined ? Number.POSITIVE_INFINITY : pinged - resumed;
  expect(took < 5_000, `${what}: the ping is answered ${took} ms after reading resumes`);
  expect(!/EMFILE/.test(server.stderr()), `${what}: no EMFILE`);
  server.child.kill('SIGKILL');
}

/** Sends many calls at once and reads all answers. */
async function pipelined(): Promise<void> {
  const server = start(['--sandbox']);
  server.read();
  const began = Date.now();
  for (let id = 1; id <= CALLS; id++) server.write(tool(id, 'get_status'));
  server.write({ id: 'ping', method: 'ping' });
  const pinged = await server.answered('ping', 60_000);
  expect(
    pinged !== undefined,
    `${CALLS} pipelined calls: the ping among them after ${(pinged ?? 0) - began} ms`,
  );
  const done = await server.answered(String(CALLS), 600_000);
  expect(done !== undefined, `${CALLS} pipelined calls: the last answer after ${(done ?? 0) - began} ms`);
  expect(server.answers.size >= CALLS, `${CALLS} pipelined calls: ${server.answers.size - 2} answers`);
  const most = peak(server.child);
  expect(most < MAX_MEGABYTES, `${CALLS} pipelined calls: ${most.toFixed(0)} MB at most`);
  const failed = [...server.answers.values()].filter(({ text }) => /EMFILE|INTERNAL_ERROR/.test(text));
  expect(failed.length === 0 && !/EMFILE/.test(server.stderr()), `${CALLS} pipelined calls: no EMFILE`);
  server.child.kill('SIGKILL');
}

/** Measures calls against an RPC that sends one byte a second. */
async function drippingRpc(): Promise<void> {
  const rpc = createServer((request, response) => {
    request.resume();
    response.writeHead(200, { 'content-type': 'application/json' });
    const drip = setInterval(() => response.write(' '), 1_000);
    response.on('close', () => clearInterval(drip));
  });
  await new Promise<void>((done) => rpc.listen(0, '127.0.0.1', done));
  const { port } = rpc.address() as AddressInfo; // a TCP server
  const url = `http://127.0.0.1:${port}`;
  const server = start(['--live', '--root-url', url, '--rpc-url', url, '--secret-store', 'env'], {
    COUNTERSIGN_API_KEY: 'k'.repeat(40),
  });
  server.read();
  const began = Date.now();
  server.write(tool(1, 'get_wallet'));
  server.write(tool(2, 'get_policy'));
  const ends = await Promise.all(['1', '2'].map((id) => server.answered(id, 120_000)));
  const took = Math.max(...ends.map((end) => (end ?? Number.POSITIVE_INFINITY) - began));
  expect(took < 20_000, `an RPC at a byte a second: calls end after ${took} ms`);
  server.child.kill('SIGKILL');
  rpc.closeAllConnections();
  rpc.close();
}

print(`node ${process.version}`);
await drippingRpc();
await floodWithoutReading(`${CALLS} lists of tools`, (id) => ({ id, method: 'tools/list' }));
await floodWithoutReading(`${CALLS} calls`, (id) => tool(id, 'get_status'));
await pipelined();
process.exitCode = failures.length === 0 ? 0 : 1;
