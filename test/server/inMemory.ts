/** SDK client connected to a server in the same process, with a host that fails when used. */
import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import { onTestFinished } from 'vitest';
import { type CreateServerOptions, createServer } from '../../src/server/index.ts';

export async function connected(options: Partial<CreateServerOptions> = {}): Promise<Client> {
  const server = createServer({
    version: '0.0.0',
    mode: 'sandbox',
    openHost: () => Promise.reject(new Error('this test opens no host')),
    log: () => undefined,
    ...options,
  }).connection();
  const client = new Client({ name: 'test', version: '1' });
  const [here, there] = InMemoryTransport.createLinkedPair();
  await server.connect(there);
  await client.connect(here);
  onTestFinished(async () => {
    await client.close();
    await server.close();
  });
  return client;
}
