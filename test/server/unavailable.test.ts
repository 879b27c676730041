/** Missing native runtime of the sandbox: the server reports it and keeps running; live mode does not need it. */
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { hasRuntime } from '../../src/base/runtimePlatforms.ts';
import { McpProcess, type SandboxProcess, startSandbox, text } from '../e2e/harness.ts';

let sandbox: SandboxProcess;
const servers: McpProcess[] = [];
const folder = mkdtempSync(join(tmpdir(), 'unavailable-'));
beforeAll(async () => {
  sandbox = await startSandbox();
});
afterAll(async () => {
  for (const server of servers) await server.stop();
  await sandbox.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function serve(args: readonly string[], env: Record<string, string> = {}): Promise<McpProcess> {
  const server = new McpProcess(args, {
    COUNTERSIGN_HOME: join(folder, 'home'),
    COUNTERSIGN_SECRET_STORE: 'env',
    COUNTERSIGN_API_KEY: sandbox.apiKey,
    // Overrides the platform's binary in the loader.
    NAPI_RS_NATIVE_LIBRARY_PATH: '/nonexistent/litesvm.node',
    ...env,
  });
  servers.push(server);
  await server.initialize();
  return server;
}

it('F54 the sandbox server answers each call with one clear error and stays alive', async () => {
  const server = await serve(['--sandbox']);
  for (const tool of ['get_status', 'get_launch_feed']) {
    const answer = await server.call(tool);
    expect(answer.isError).toBe(true);
    expect(answer.data.code).toBe('NOT_SET_UP');
    expect(`${text(answer.data.message)} ${text(answer.data.hint)}`).toMatch(/runtime.*did not load.*live/is);
  }
  expect(server.stderr).not.toMatch(/\n\s+at /);
});

it('F54 live mode and its reads work', async () => {
  const server = await serve(['--live', '--root-url', sandbox.rootUrl, '--rpc-url', sandbox.rpcUrl]);
  expect(await server.ok('get_status')).toMatchObject({ service: 'answering' });
  expect((await server.call('get_launch_feed')).isError).toBe(false);
});

/** Returns a server's log once it has ended. */
async function logOf(server: McpProcess): Promise<string> {
  const { stderr } = server.child;
  const ended = stderr === null || stderr.readableEnded ? undefined : once(stderr, 'end');
  await server.stop();
  await ended;
  return server.stderr;
}

it('on Windows, without a native runtime, one message at start lists what works', async () => {
  const windows = join(folder, 'windows.cjs');
  writeFileSync(windows, "Object.defineProperty(process, 'platform', { value: 'win32' });");
  const env = { NODE_OPTIONS: `--require ${windows}` };
  const live = ['--live', '--root-url', sandbox.rootUrl, '--rpc-url', sandbox.rpcUrl];
  const sentence =
    /^countersign: The embedded sandbox has no build for win32-\w+; live mode and reads work, .* sandbox elsewhere .*\.$/m;
  expect(await logOf(await serve(['--sandbox'], env))).toMatch(sentence);
  const elsewhere = await serve(live, env);
  expect(await elsewhere.ok('get_status')).toMatchObject({ mode: 'live', service: 'answering' });
  expect(await logOf(elsewhere)).not.toMatch(sentence);
  expect(await logOf(await serve(['--sandbox']))).not.toMatch(sentence);
});

it('the listed platforms are those whose builds the package depends on', () => {
  const own: { optionalDependencies: Record<string, string> } = JSON.parse(
    readFileSync('package.json', 'utf8'),
  );
  const named = Object.keys(own.optionalDependencies).flatMap((name) => {
    const [, platform = '', arch = ''] = /^litesvm-(\w+)-(\w+)/.exec(name) ?? [];
    return [`${platform}-${arch}`];
  });
  const platforms = ['linux', 'darwin', 'win32', 'freebsd'].flatMap((platform) =>
    ['x64', 'arm64', 'ia32'].map((arch) => ({ platform, arch })),
  );
  const built = platforms.filter(({ platform, arch }) => hasRuntime(platform, arch));
  expect(built.map(({ platform, arch }) => `${platform}-${arch}`).sort()).toEqual([...new Set(named)].sort());
});
