/** Incorporations, which are irreversible and off chain, are authorized by the policy alone. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { policyTemplate } from '../../src/review/templates/templates.ts';
import { fixedPolicy } from '../../src/runtime/policyFile.ts';
import { openRuntime } from '../../src/runtime/runtime.ts';
import { callTool } from '../../src/server/call.ts';
import { temporaryHome } from '../secrets/temporaryHome.ts';
import { testKey } from '../transaction/keys.ts';

const [wallet, token, other] = ['wallet', 'token', 'other'].map((name) => testKey(name).address);

/** Starts a live server whose policy permits these incorporations; records the service's start requests. */
async function start(incorporations?: readonly string[]) {
  const started: string[] = [];
  const service = createServer(({ url = '' }, response) => {
    if (url.includes('incorporation')) started.push(url);
    response.writeHead(200, { 'content-type': 'application/json' });
    const answer = { tokenAddress: url.split('/').at(-1), incorporationStarted: true };
    response.end(JSON.stringify({ success: true, response: answer }));
  });
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void service.close());
  const { port } = service.address() as AddressInfo; // a TCP server
  const url = `http://127.0.0.1:${port}`;
  const file = policyTemplate('sandbox', { wallet: wallet ?? '', network: 'mainnet-beta' });
  const policy = JSON.stringify({ ...file, ...(incorporations === undefined ? {} : { incorporations }) });
  const runtime = await openRuntime(
    {
      ...{ mode: 'live', profile: 'contract', home: temporaryHome(), rootUrl: url, rpcUrl: url },
      env: { COUNTERSIGN_SECRET_STORE: 'env', COUNTERSIGN_API_KEY: 'k'.repeat(40) },
    },
    { own: { policy: fixedPolicy(policy) } },
  );
  onTestFinished(() => runtime.stop());
  const ask = async (tokenMint = '') =>
    callTool({
      ...{ mode: 'live', name: 'start_incorporation', arguments: { tokenMint }, opened: runtime },
      open: async () => runtime,
      call: { signal: new AbortController().signal, progress: () => undefined },
      log: () => undefined,
    });
  return { ask, started, runtime };
}

it('T195 asks the owner by default: nothing is sent, and the agent learns who can permit it', async () => {
  const { ask, started } = await start();
  expect(await ask(token)).toMatchObject({
    isError: true,
    structuredContent: {
      code: 'APPROVAL_REQUIRED',
      class: 'policy',
      hint: expect.stringMatching(/incorporations/),
    },
  });
  expect(started).toEqual([]);
});

it('T195 starts for a token named in the policy only', async () => {
  const { ask, started } = await start([String(token)]);
  expect(await ask(other)).toMatchObject({ structuredContent: { code: 'APPROVAL_REQUIRED' } });
  expect(started).toEqual([]);
  expect(await ask(token)).toMatchObject({ structuredContent: { incorporationStarted: true } });
  expect(started).toEqual([expect.stringContaining(String(token))]);
});

it('T195 does not start while signing is frozen', async () => {
  const { ask, started, runtime } = await start(['any']);
  await runtime.parts.ledger.freeze('a person froze');
  expect(await ask(token)).toMatchObject({ structuredContent: { code: 'APPROVAL_REQUIRED' } });
  expect(started).toEqual([]);
});

it('T57 does not start after other code removed the freeze this server observed', async () => {
  const { ask, started, runtime } = await start(['any']);
  await runtime.parts.ledger.freeze('a person froze');
  expect(await ask(token)).toMatchObject({ structuredContent: { code: 'APPROVAL_REQUIRED' } });
  await runtime.parts.ledger.freeze({ lifted: undefined });
  expect(await ask(token)).toMatchObject({ structuredContent: { code: 'APPROVAL_REQUIRED' } });
  expect(started).toEqual([]);
});
