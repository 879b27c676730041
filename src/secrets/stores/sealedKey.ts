// API keys of the environment store: one file per service in the home, encrypted with AES-256-GCM under a key derived
// from a secret in the environment. The file is useless without the same environment.

import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { SecretError } from '../errors.ts';
import { ensureHome } from '../home.ts';
import { inspectPrivateFile, readPrivateFile, removePrivateFile, writePrivateFile } from '../privateFile.ts';
import { allocateSecretBytes, Secret } from '../secret.ts';

const MAX_FILE_BYTES = 16_384;
const SALT_BYTES = 16;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const HEAD_BYTES = SALT_BYTES + NONCE_BYTES + TAG_BYTES;

/** Returns the file of a key; its name does not reveal the service. */
export const sealedKeyPath = (home: string, name: string): string =>
  join(home, `${createHash('sha256').update(name).digest('hex').slice(0, 16)}.sealed`);

export const hasSealedKey = (home: string, name: string): boolean =>
  inspectPrivateFile(sealedKeyPath(home, name)) !== undefined;

/** Deletes the file. Returns false if there was none. */
export function deleteSealedKey(home: string, name: string): boolean {
  const existed = hasSealedKey(home, name);
  if (existed) removePrivateFile(sealedKeyPath(home, name));
  return existed;
}

/** Derives the encryption key; the caller zeroes it. */
const keyFrom = (material: Secret, salt: Uint8Array): Uint8Array =>
  new Uint8Array(hkdfSync('sha256', material.exposeBytes(), salt, 'countersign api key', 32));

/** Encrypts `secret` under `material` and writes it. Throws `KEYSTORE_WRITE_FAILED`. */
export function sealKey(home: string, name: string, secret: Secret, material: Secret): void {
  const [salt, nonce] = [randomBytes(SALT_BYTES), randomBytes(NONCE_BYTES)];
  const key = keyFrom(material, salt);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(name));
  const encrypted = Buffer.concat([cipher.update(secret.exposeBytes()), cipher.final()]);
  key.fill(0);
  ensureHome(home);
  writePrivateFile(sealedKeyPath(home, name), Buffer.concat([salt, nonce, cipher.getAuthTag(), encrypted]));
}

/**
 * Decrypts the key stored under `name` with the first matching secret of `materials`. Returns undefined if none is
 * stored. Throws `KEYSTORE_LOCKED` if none matches: the environment or the file changed.
 */
export function openSealedKey(home: string, name: string, materials: readonly Secret[]): Secret | undefined {
  const file = readPrivateFile(sealedKeyPath(home, name), MAX_FILE_BYTES)?.bytes;
  if (file === undefined) return undefined;
  const salt = file.subarray(0, SALT_BYTES);
  const nonce = file.subarray(SALT_BYTES, SALT_BYTES + NONCE_BYTES);
  const tag = file.subarray(SALT_BYTES + NONCE_BYTES, HEAD_BYTES);
  for (const material of materials) {
    const key = keyFrom(material, salt);
    try {
      const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES });
      const opened = decipher.setAAD(Buffer.from(name)).setAuthTag(tag).update(file.subarray(HEAD_BYTES));
      decipher.final();
      const bytes = allocateSecretBytes(opened.length);
      bytes.set(opened);
      opened.fill(0);
      return Secret.adoptText(bytes);
    } catch {
      // Another secret or a damaged file: GCM does not distinguish them.
    } finally {
      key.fill(0);
    }
  }
  throw new SecretError(
    'KEYSTORE_LOCKED',
    `${sealedKeyPath(home, name)} was encrypted with another wallet file or login token, or is damaged.`,
    'Set COUNTERSIGN_API_KEY, or set COUNTERSIGN_JWT and let the agent call create_agent_key again.',
  );
}
