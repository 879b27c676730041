// Passphrase encryption in the age format (age-encryption.org/v1, scrypt recipient), so that the `age` command can
// open the files. The library is loaded on first use.

import { SecretError } from '../errors.ts';
import type { Secret } from '../secret.ts';
import { allocateSecretBytes } from '../secret.ts';

/** Base-2 logarithm of the scrypt cost: about 0.7 s and 128 MiB per guess. */
export const SCRYPT_WORK_FACTOR = 17;

/** Minimum length of a new passphrase, in characters. */
export const SHORTEST_PASSPHRASE = 10;

/** Throws `WEAK_PASSPHRASE` for a passphrase too short for new encryption. */
export function checkNewPassphrase(passphrase: Secret): void {
  if ([...passphrase.expose()].length >= SHORTEST_PASSPHRASE) return;
  throw new SecretError(
    'WEAK_PASSPHRASE',
    `The passphrase has fewer than ${SHORTEST_PASSPHRASE} characters.`,
    'Use four or five random words.',
  );
}

/** Encrypts `plaintext`; the caller zeroes it. `workFactor` below the default is for tests only. */
export async function encryptWithPassphrase(
  plaintext: Uint8Array,
  passphrase: Secret,
  workFactor = SCRYPT_WORK_FACTOR,
): Promise<Uint8Array> {
  const { Encrypter } = await import('age-encryption');
  const encrypter = new Encrypter();
  encrypter.setPassphrase(passphrase.expose());
  encrypter.setScryptWorkFactor(workFactor);
  return encrypter.encrypt(plaintext);
}

async function joinAndWipe(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  let joined = allocateSecretBytes(0);
  for await (const chunk of chunks) {
    const longer = allocateSecretBytes(joined.length + chunk.length);
    longer.set(joined);
    longer.set(chunk, joined.length);
    joined.fill(0);
    chunk.fill(0);
    joined = longer;
  }
  return joined;
}

/**
 * Decrypts a file written by `encryptWithPassphrase` or `age -p`. Returns `wrong passphrase` if the passphrase does
 * not open it, after the full derivation, and `damaged` if it is another or altered file, which reveals nothing about
 * the passphrase.
 */
export async function decryptWithPassphrase(
  file: Uint8Array,
  passphrase: Secret,
): Promise<{ ok: true; plaintext: Uint8Array } | { ok: false; reason: 'wrong passphrase' | 'damaged' }> {
  const { Decrypter } = await import('age-encryption');
  const decrypter = new Decrypter();
  decrypter.addPassphrase(passphrase.expose());
  try {
    // Uses a stream, because the one-call form creates copies that cannot be zeroed.
    const source = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(file);
        controller.close();
      },
    });
    const plaintext = await joinAndWipe(await decrypter.decrypt(source));
    await catchUp();
    return { ok: true, plaintext };
  } catch (error) {
    const wrong = error instanceof Error && error.message.startsWith('no identity matched');
    return { ok: false, reason: wrong ? 'wrong passphrase' : 'damaged' };
  }
}

/** Key derivation blocks the event loop; this lets closed connections be noticed before their next use. */
const catchUp = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 20));
