/** What the sandbox says about options that mean something for the real thing only. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { McpProcess } from '../e2e/harness.ts';

it('a policy given to the sandbox is not used, and the server says so', async () => {
  const server = new McpProcess(['--sandbox', '--policy', '/nowhere/policy.json'], {
    COUNTERSIGN_HOME: mkdtempSync(join(tmpdir(), 'options-')),
    COUNTERSIGN_RPC_URL: 'http://127.0.0.1:1',
  });
  try {
    await server.initialize();
    expect(server.stderr).toContain('does not use: policy, rpc-url.');
  } finally {
    await server.stop();
  }
});
