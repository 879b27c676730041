/** Lowers the scrypt cost of a home's passphrase files, which speeds up later commands. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { ownerKeyPath } from '../../src/secrets/keys/ownerKey.ts';
import { Secret } from '../../src/secrets/secret.ts';
import { decryptWithPassphrase, encryptWithPassphrase } from '../../src/secrets/stores/ageFile.ts';
import { secretFilePath } from '../../src/secrets/stores/fileStore.ts';
import { TEST_WORK_FACTOR } from '../secrets/temporaryHome.ts';

/** Re-encrypts the home's secret file, and its owner key if the owner's passphrase is given. */
export async function lowerScryptCost(home: string, passphrase: string, owner?: string): Promise<void> {
  await lower(secretFilePath(home), passphrase);
  if (owner !== undefined && existsSync(ownerKeyPath(home))) await lower(ownerKeyPath(home), owner);
}

async function lower(path: string, passphrase: string): Promise<void> {
  const secret = Secret.fromText(passphrase);
  const opened = await decryptWithPassphrase(readFileSync(path), secret);
  if (!opened.ok) throw new Error(`${path}: ${opened.reason}`);
  writeFileSync(path, await encryptWithPassphrase(opened.plaintext, secret, TEST_WORK_FACTOR));
}
