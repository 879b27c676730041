/** Cold start: spawn → `tools/list` reply over `node -e 0`, and resident memory after it. */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { median, type Ratio, ratio } from './measure.ts';

const COMMAND = resolve('dist/countersign.js');
const HOME = mkdtempSync(join(tmpdir(), 'bench-start-'));
const REQUESTS = [
  {
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'bench', version: '1' } },
  },
  { method: 'notifications/initialized' },
  { id: 2, method: 'tools/list' },
].map((message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);

function bare(): Promise<number> {
  const start = performance.now();
  return new Promise((done) => {
    spawn(process.execPath, ['-e', '0'], { stdio: 'ignore' }).on('exit', () =>
      done(performance.now() - start),
    );
  });
}

function list(): Promise<{ ms: number; megabytes: number }> {
  const start = performance.now();
  const child = spawn(process.execPath, [COMMAND, 'serve', '--sandbox'], {
    stdio: ['pipe', 'pipe', 'ignore'],
    env: { ...process.env, COUNTERSIGN_HOME: HOME },
  });
  for (const request of REQUESTS) child.stdin.write(request);
  let answer = '';
  return new Promise((done) => {
    child.stdout.on('data', (chunk) => {
      answer += chunk;
      if (!answer.includes('"id":2')) return;
      const ms = performance.now() - start;
      const megabytes = residentMegabytes(child.pid ?? 0);
      child.once('exit', () => done({ ms, megabytes }));
      child.stdin.end();
      answer = '';
    });
  });
}

function residentMegabytes(pid: number): number {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
  } catch {
    return Number.NaN; // no /proc on this platform
  }
}

export async function benchStart(runs = 15): Promise<Ratio[]> {
  await list();
  const base: number[] = [];
  const ours: number[] = [];
  const memory: number[] = [];
  for (let i = 0; i < runs; i += 1) {
    base.push(await bare());
    const { ms, megabytes } = await list();
    ours.push(ms);
    memory.push(megabytes);
  }
  const budget = process.version.startsWith('v20.') ? 1.6 : 2.4;
  const sorted = [...memory].sort((a, b) => a - b);
  return [
    ratio('cold start', 'spawn → tools/list over node -e 0', budget, ours, base),
    {
      name: 'resident memory',
      of: 'after tools/list',
      median: median(memory),
      low: sorted[0] ?? 0,
      high: sorted.at(-1) ?? 0,
      budget: 60,
      unit: 'MB',
    },
  ];
}
