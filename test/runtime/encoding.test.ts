/** `--encoding` of `serve --sandbox`: which programs the embedded service builds for. */
import { afterEach, expect, test } from 'vitest';
import { serve } from '../../src/cli/serve.ts';
import type { Backend } from '../../src/runtime/backends/backend.ts';
import { openSandboxBackend } from '../../src/runtime/backends/sandboxBackend.ts';
import { createRedactor } from '../../src/secrets/redaction/redact.ts';
import { secretNames } from '../../src/secrets/stores/store.ts';

let backend: Backend | undefined;
afterEach(async () => {
  await backend?.close();
  backend = undefined;
});

/** The program that owns the newest token of the embedded service. */
async function ownerOfToken(encoding: 'stock' | 'real'): Promise<unknown> {
  const settings = { mode: 'sandbox', profile: 'contract', home: '/nowhere', env: {}, encoding } as const;
  backend = await openSandboxBackend(settings, createRedactor());
  const key = await backend.secrets.get(secretNames.apiKey(backend.rootUrl));
  const headers = { 'x-api-key': key?.expose() ?? '' };
  const answer = await fetch(`${backend.rootUrl}/api/v1/token-launch/feed`, { headers });
  const feed = Object(await answer.json());
  const params = [feed.response[0].tokenMint, { encoding: 'base64', commitment: 'processed' }];
  const asked = await fetch(backend.rpcUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'getAccountInfo', params }),
  });
  return Object(await asked.json()).result.value.owner;
}

test('the encoding that is named is what the embedded service builds in', async () => {
  expect(await ownerOfToken('real')).toBe('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA');
  await backend?.close();
  expect(await ownerOfToken('stock')).toBe('TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb');
});

test('an encoding that is none is refused before anything is started', () => {
  const line = { command: 'serve', words: [], options: { sandbox: true, live: false, encoding: 'base64' } };
  expect(() => serve(line, '0.0.0', process)).toThrow('The encoding is stock or real.');
});
