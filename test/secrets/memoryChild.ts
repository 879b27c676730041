// Runs in a separate process, bundled by the memory test: uses a wallet key as named by argv and lets the test search
// this process's memory at each step. The key arrives masked, so that reading it leaves no extra copy.

import { createHash, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { createSigner, importKeypairFile, openWallet, type Signer } from '../../src/secrets/keys/wallet.ts';
import { createRedactor } from '../../src/secrets/redaction/redact.ts';
import { allocateSecretBytes, Secret } from '../../src/secrets/secret.ts';
import { createFileStore } from '../../src/secrets/stores/fileStore.ts';

const [, , scenario = '', maskedPath = '', home = '', address = ''] = process.argv;

async function openSigner(): Promise<Signer> {
  if (scenario === 'file') {
    const store = createFileStore({ home, env: { COUNTERSIGN_PASSPHRASE: 'orbit velvet canyon mosaic' } });
    const signer = await openWallet(store, address);
    if (signer === undefined) throw new Error('No wallet.');
    const { lock } = signer;
    return { ...signer, lock: () => [lock(), store.lock()] };
  }
  if (scenario === 'import') return createSigner(importKeypairFile(join(home, 'id.json')).secret);
  const bytes = allocateSecretBytes(64);
  readFileSync(maskedPath).forEach((value, index) => {
    bytes[index] = value ^ 0x5a;
  });
  const secret = Secret.adoptBytes(bytes);
  if (scenario === 'redactor') createRedactor().register(secret);
  return createSigner(secret);
}

let signer: Signer | undefined = await openSigner();
for (let i = 0; i < 50; i++) {
  const message = randomBytes(300);
  signer.sign(message, {
    messageSha256: createHash('sha256').update(message).digest('hex'),
    decisionId: `d${i}`,
  });
}

process.on('message', async (step) => {
  if (step === 'lock') {
    signer?.lock();
    signer = undefined;
  }
  if (step === 'collect') {
    globalThis.gc?.();
    await wait(30);
  }
  if (step === 'end') process.exit(0);
  process.send?.(step);
});
process.send?.('ready');
