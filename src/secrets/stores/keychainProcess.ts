// Talks to the operating system's keychain through a short-lived child process. The native library can hang
// on a prompt that is not shown, or crash with its daemon: a child can be timed out and killed, and the server
// keeps no native code in memory. It also makes every read a read by another process than the one that
// wrote, which is what proves that the keychain kept something.

import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { SecretError } from '../errors.ts';
import type { Environment } from '../home.ts';
import { allocateSecretBytes } from '../secret.ts';

/** A child answers within this time or is killed. Milliseconds. */
export const KEYCHAIN_TIMEOUT_MS = 15_000;

/**
 * What D-Bus says when two seconds passed without a reply: a daemon that waits for a slow disk, not one that refuses.
 * The library has no setting for these two seconds.
 */
const NO_REPLY = 'Did not receive a reply';

/**
 * The child. It asks again as long as no reply comes: each of the three actions may be done twice, and the parent
 * sets the deadline. Linux is pinned to the secret service: left to itself the library falls back to kernel memory,
 * reports success and forgets everything at the next boot. Answers one letter and the value or a message.
 */
const CHILD = `
const [modulePath, action, service, name] = process.argv.slice(1);
const answer = (letter, bytes) => process.stdout.write(Buffer.concat([Buffer.from(letter), bytes ?? Buffer.alloc(0)]));
const chunks = [];
process.stdin.on('data', (chunk) => chunks.push(chunk));
const act = async () => {
  const { AsyncEntry } = require(modulePath);
  const entry = new AsyncEntry(service, name, { linux: { store: 'secret-service' } });
  if (action === 'get') {
    const value = await entry.getSecret();
    answer(value === null || value === undefined ? 'N' : 'V', Buffer.from(value ?? []));
  } else if (action === 'set') {
    await entry.setSecret(Buffer.concat(chunks));
    answer('K');
  } else {
    answer(await entry.deleteCredential() ? 'K' : 'N');
  }
};
process.stdin.on('end', async () => {
  for (;;) {
    try {
      return await act();
    } catch (error) {
      const text = String(error && error.message).slice(0, 300);
      if (!text.includes('${NO_REPLY}')) return answer('E', Buffer.from(text));
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
});
`;

/** What a keychain client needs of its environment: how to reach the session, and nothing secret. */
const PASSED_ON = [
  'PATH',
  'HOME',
  'USER',
  'LOGNAME',
  'LANG',
  'DISPLAY',
  'WAYLAND_DISPLAY',
  'XAUTHORITY',
  'XDG_RUNTIME_DIR',
  'XDG_DATA_HOME',
  'XDG_SESSION_ID',
  'DBUS_SESSION_BUS_ADDRESS',
  'ELECTRON_RUN_AS_NODE',
  'SYSTEMROOT',
  'APPDATA',
  'LOCALAPPDATA',
  'USERPROFILE',
  'TEMP',
] as const;

export interface KeychainCall {
  action: 'get' | 'set' | 'delete';
  service: string;
  name: string;
  /** For `set`; stays the caller's to zero. */
  value?: Uint8Array;
  env: Environment;
  timeoutMs: number;
  /** The keychain library; left out, the installed one. */
  modulePath?: string | undefined;
}

function installedLibrary(): string {
  try {
    return createRequire(import.meta.url).resolve('@napi-rs/keyring');
  } catch {
    throw unavailable('its library is not installed.');
  }
}

const unavailable = (detail: string) =>
  new SecretError(
    'KEYSTORE_UNAVAILABLE',
    `The system keychain cannot be used: ${detail}`,
    'Run `countersign doctor`. On a machine without a desktop keychain run `countersign secrets migrate` to use the encrypted file.',
  );

export const keychainLocked = () =>
  new SecretError(
    'KEYSTORE_LOCKED',
    'The system keychain is locked.',
    'Unlock it (log in to the desktop, or unlock the login keyring), then run `countersign doctor`.',
  );

/** Text of the keychain's daemon, made safe to show. */
function describe(message: string): string {
  const clean = message
    .replace(/[^\x20-\x7e]+/g, ' ')
    .slice(0, 200)
    .trim();
  return clean === '' ? 'it gave no reason.' : `${clean}${/[.!?]$/.test(clean) ? '' : '.'}`;
}

function refusal(message: string): SecretError {
  return /\b(?:locked|dismiss|prompt|denied|cancel|interaction)/i.test(message)
    ? keychainLocked()
    : unavailable(describe(message));
}

/**
 * One call. Returns the value's bytes (the caller's to zero), `true` for a done `set` or `delete`, or
 * `undefined` when there is no such entry *or the keychain is locked*: some answer the same for both.
 * Throws `KEYSTORE_UNAVAILABLE` or `KEYSTORE_LOCKED`.
 */
export async function callKeychain(call: KeychainCall): Promise<Uint8Array | true | undefined> {
  const { action, service, name, value, env, timeoutMs } = call;
  const modulePath = call.modulePath ?? installedLibrary();
  const childEnv = Object.fromEntries(
    PASSED_ON.flatMap((key) => (env[key] === undefined ? [] : [[key, env[key]]])),
  );
  const child = spawn(process.execPath, ['-e', CHILD, modulePath, action, service, name], {
    env: childEnv,
    stdio: ['pipe', 'pipe', 'ignore'],
    timeout: timeoutMs,
    killSignal: 'SIGKILL',
    windowsHide: true,
  });
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  // A child that died early closes its input; its exit says why.
  child.stdin.on('error', () => {});
  child.stdin.end(
    value === undefined ? undefined : Buffer.from(value.buffer, value.byteOffset, value.byteLength),
  );
  const ended = await new Promise<{ signal: NodeJS.Signals | null } | { error: Error }>((resolve) => {
    child.once('error', (error) => resolve({ error }));
    child.once('close', (_, signal) => resolve({ signal }));
  });
  if ('error' in ended) throw unavailable('its helper process could not be started.');

  const answer = allocateSecretBytes(chunks.reduce((sum, chunk) => sum + chunk.length, 0));
  let at = 0;
  for (const chunk of chunks) {
    answer.set(chunk, at);
    at += chunk.length;
    chunk.fill(0);
  }
  const letter = String.fromCharCode(answer[0] ?? 0);
  if (letter === 'V') {
    const result = allocateSecretBytes(answer.length - 1);
    result.set(answer.subarray(1));
    answer.fill(0);
    return result;
  }
  if (letter === 'K') return true;
  if (letter === 'N') return undefined;
  if (letter === 'E') throw refusal(new TextDecoder().decode(answer.subarray(1)));
  throw unavailable(
    ended.signal === 'SIGKILL' ? 'it did not answer in time.' : 'its helper process crashed.',
  );
}
