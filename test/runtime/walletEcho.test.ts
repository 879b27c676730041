/** T61: a service that puts a wallet's key into an error before any signature with that wallet. */
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import bs58 from 'bs58';
import { expect, it, onTestFinished } from 'vitest';
import { openRuntime } from '../../src/runtime/runtime.ts';
import { createKeypair } from '../../src/secrets/keys/wallet.ts';
import { callTool } from '../../src/server/call.ts';
import { temporaryHome } from '../secrets/temporaryHome.ts';

it('T61 is not shown in any form, though the wallet was never used', async () => {
  const home = temporaryHome();
  const key = createKeypair().secret.exposeBytes().slice();
  const forms = [bs58.encode(key), Buffer.from(key).toString('hex'), Buffer.from(key).toString('base64')];
  const walletFile = join(home, 'wallet.json');
  writeFileSync(walletFile, JSON.stringify([...key]), { mode: 0o600 });
  const honest = randomBytes(64).toString('hex');
  const service = createServer((_, response) => {
    response.writeHead(400, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ success: false, error: `${honest.slice(0, 40)} ${forms.join(' ')}` }));
  });
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    service.close();
  });
  const { port } = service.address() as AddressInfo; // a TCP server
  const url = `http://127.0.0.1:${port}`;
  const env = {
    COUNTERSIGN_SECRET_STORE: 'env',
    COUNTERSIGN_API_KEY: 'k'.repeat(40),
    COUNTERSIGN_WALLET_FILE: walletFile,
  };
  const runtime = await openRuntime({
    mode: 'live',
    profile: 'contract',
    home,
    env,
    rootUrl: url,
    rpcUrl: url,
  });
  onTestFinished(() => runtime.stop());
  const result = await callTool({
    mode: 'live',
    name: 'get_launch_feed',
    arguments: {},
    opened: runtime,
    open: async () => runtime,
    call: { signal: new AbortController().signal, progress: () => undefined },
    log: () => undefined,
  });
  const resultText = JSON.stringify(result);
  for (const form of forms) expect(resultText).not.toContain(form.slice(0, 20));
  expect(resultText).toContain('[redacted]');
  // Text that only resembles a key is kept.
  expect(resultText).toContain(honest.slice(0, 20));
});
