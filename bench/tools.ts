/** A read tool over stdio over the same request with bare fetch. */
import { resolve } from 'node:path';
import { createHome, liveEnvironment, startSandbox, startServer } from '../test/e2e/harness.ts';
import { type Ratio, ratio, timed } from './measure.ts';

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
