/** A read tool over stdio over the same request with bare fetch; the catalogue in tokens; the demo's first landing. */
import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import {
  createHome,
  liveEnvironment,
  object,
  objects,
  startSandbox,
  startServer,
} from '../test/e2e/harness.ts';
import { median, type Ratio, ratio, timed } from './measure.ts';

export async function benchReads(runs = 400): Promise<Ratio[]> {
  const sandbox = await startSandbox();
  const server = await startServer(
    ['--live', '--root-url', sandbox.rootUrl, '--rpc-url', sandbox.rpcUrl],
    liveEnvironment(createHome(), sandbox),
  );
  const url = `${sandbox.rootUrl}/api/v1/token-launch/feed`;
  const direct = async () => {
    const response = await fetch(url, { headers: { 'x-api-key': sandbox.apiKey } });
    await response.json();
  };
  const bare = await startServer([], { BENCH_URL: url, BENCH_KEY: sandbox.apiKey }, [
    resolve('bench/bareServer.mjs'),
  ]);
  const tool = () => server.ok('get_launch_feed');
  const untouched = () => bare.ok('get_launch_feed');
  const [ours, floor, base]: [number[], number[], number[]] = [[], [], []];
  try {
    for (let i = 0; i < 100; i += 1) for (const call of [direct, untouched, tool]) await call();
    for (let i = 0; i < runs; i += 1) {
      base.push(await timed(direct));
      floor.push(await timed(untouched));
      ours.push(await timed(tool));
    }
  } finally {
    await Promise.all([server.stop(), bare.stop()]);
    sandbox.stop();
  }
  return [
    ratio('read tool', 'get_launch_feed over stdio over bare fetch', 1.5, ours, base),
    ratio('  its floor', 'a bare server on the official SDK over bare fetch', 1.5, floor, base),
  ];
}

export async function benchCatalogue(): Promise<Ratio[]> {
  const server = await startServer(['--sandbox'], { COUNTERSIGN_HOME: createHome().home });
  const tools = objects(object((await server.request('tools/list')).result).tools);
  await server.stop();
  const sizes = tools.map((tool) => countTokens(JSON.stringify(tool)));
  const whole = countTokens(JSON.stringify(tools));
  const tokens = (name: string, value: number, budget: number): Ratio => ({
    name,
    of: `o200k tokens, ${tools.length} tools`,
    median: value,
    low: value,
    high: value,
    budget,
    unit: 'tokens',
  });
  return [
    tokens('whole catalogue', whole, 8000),
    tokens('median tool', median(sizes), 230),
    tokens('largest tool', Math.max(...sizes), 750),
  ];
}

/** Seconds from starting `demo` until its first plan has landed, by its own output. */
export async function benchDemo(runs = 5): Promise<Ratio[]> {
  const seconds: number[] = [];
  for (let i = 0; i < runs; i += 1) {
    seconds.push(
      await new Promise<number>((done) => {
        const start = performance.now();
        const child = spawn(process.execPath, [resolve('dist/countersign.js'), 'demo', '--json'], {
          stdio: ['ignore', 'pipe', 'ignore'],
        });
        let out = '';
        child.stdout.on('data', (chunk) => {
          out += chunk;
          if (!out.includes('"config-3"')) return;
          out = '';
          done((performance.now() - start) / 1000);
          child.kill();
        });
      }),
    );
  }
  const sorted = [...seconds].sort((a, b) => a - b);
  return [
    {
      name: 'demo',
      of: 'start until the first plan has landed',
      median: median(seconds),
      low: sorted[0] ?? 0,
      high: sorted.at(-1) ?? 0,
      budget: 3,
      unit: 's',
    },
  ];
}
