/** A machine on which the sandbox's native runtime does not load: the server says so and lives; live mode needs none. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { McpProcess, type SandboxProcess, startSandbox, text } from '../e2e/harness.ts';

let sandbox: SandboxProcess;
const servers: McpProcess[] = [];
beforeAll(async () => {
  sandbox = await startSandbox();
});
afterAll(async () => {
  for (const server of servers) await server.stop();
  await sandbox.stop();
});

async function serve(args: readonly string[]): Promise<McpProcess> {
  const server = new McpProcess(args, {
    COUNTERSIGN_HOME: mkdtempSync(join(tmpdir(), 'unavailable-')),
    COUNTERSIGN_SECRET_STORE: 'env',
    COUNTERSIGN_API_KEY: sandbox.apiKey,
    // The loader takes this in place of the platform's own binary.
    NAPI_RS_NATIVE_LIBRARY_PATH: '/nonexistent/litesvm.node',
  });
  servers.push(server);
  await server.initialize();
  return server;
}

it('F54 the sandbox server answers each call with one clear error, and lives', async () => {
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
