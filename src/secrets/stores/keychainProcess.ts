// Accesses the operating system's keychain through a short-lived child process. The native library can hang on an
// invisible prompt or crash with its daemon: a child can be timed out and killed, and the server loads no native
// code. Each read is also by another process than the write, which proves that the value was stored.

import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { SecretError } from '../errors.ts';
import type { Environment } from '../home.ts';
import { allocateSecretBytes } from '../secret.ts';

/** Timeout in milliseconds after which the child is killed. */
export const KEYCHAIN_TIMEOUT_MS = 15_000;

/**
 * D-Bus error after two seconds without a reply: the daemon is slow, not refusing. The library cannot change this
 * timeout.
 */
const NO_REPLY = 'Did not receive a reply';

/**
 * The child's script. Retries while there is no reply: all three actions are idempotent, and the parent enforces the
 * deadline. On Linux the secret service is selected explicitly: the library would otherwise fall back to kernel
 * memory, report success and lose everything at the next boot. Returns one letter and the value or a message.
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

/** Environment variables passed to the child: those needed to reach the session, none secret. */
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
  /** For `set`; the caller zeroes it. */
  value?: Uint8Array;
  env: Environment;
  timeoutMs: number;
  /** Path of the keychain library. Default: the installed one. */
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

/** Makes a message of the keychain's daemon safe to show. */
function describe(message: string): string {
  const clean = message
    .replace(/[^\x20-\x7e]+/g, ' ')
    .slice(0, 200)
    .trim();
  return clean === '' ? 'no reason given.' : `${clean}${/[.!?]$/.test(clean) ? '' : '.'}`;
}

function refusal(message: string): SecretError {
  return /\b(?:locked|dismiss|prompt|denied|cancel|interaction)/i.test(message)
    ? keychainLocked()
    : unavailable(describe(message));
}

/**
 * Makes one call. Returns the value's bytes (the caller zeroes them), `true` for a completed `set` or `delete`, or
 * `undefined` if there is no such entry *or the keychain is locked*, which some keychains do not distinguish. Throws
 * `KEYSTORE_UNAVAILABLE` or `KEYSTORE_LOCKED`.
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
  // A child that exited early closes its input; its exit code is handled below.
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
  throw unavailable(ended.signal === 'SIGKILL' ? 'it timed out.' : 'its helper process crashed.');
}
