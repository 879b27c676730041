/** T61: protocol errors repeat client input, and pass the redactor like all output. */
import { expect, test } from 'vitest';
import { object, spawnServer } from './spawned.ts';

const KEY = 'live-key-9f8e7d6c5b4a39281706';

test('T61 protocol errors and the log show no secret that the client sent, before anything was opened', async () => {
  const server = spawnServer([], { COUNTERSIGN_API_KEY: KEY });
  await server.initialize();
  const tool = await server.request('tools/call', { name: KEY, arguments: {} });
  const resource = await server.request('resources/read', { uri: `plan://${KEY}` });
  const prompt = await server.request('prompts/get', { name: KEY });
  server.write(JSON.stringify({ jsonrpc: '2.0', id: KEY, result: { [KEY]: 1 } }));
  await server.request('ping');
  for (const answer of [tool, resource, prompt]) {
    expect(object(answer.error).code).toBeTypeOf('number');
    expect(JSON.stringify(answer)).not.toContain(KEY);
  }
  expect(server.stderr()).not.toContain(KEY);
  // Non-secret values are still named.
  const wrong = await server.request('tools/call', { name: 'get_lunch_feed', arguments: {} });
  expect(JSON.stringify(wrong)).toContain('get_lunch_feed');
});
