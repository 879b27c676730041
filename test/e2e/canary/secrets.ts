/** Nine generated secrets, and a search for each in every common encoding. */
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import bs58 from 'bs58';

export interface Canary {
  readonly name: string;
  readonly value: Uint8Array;
}

const word = (bytes = 18): string => randomBytes(bytes).toString('base64url').replaceAll('-', 'x');
const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Generates a wallet file in `solana-keygen` format, with its seed. */
export function makeWallet(): { address: string; file: string; seed: Uint8Array; keypair: Uint8Array } {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const seed = Uint8Array.from(privateKey.export({ format: 'der', type: 'pkcs8' }).subarray(-32));
  const bytes = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32);
  const keypair = Uint8Array.from([...seed, ...bytes]);
  return { address: bs58.encode(bytes), file: JSON.stringify([...keypair]), seed, keypair };
}

export const makeSecrets = () => ({
  apiKey: `bird_${word()}`,
  jwt: `${part({ alg: 'HS256', typ: 'JWT' })}.${part({ sub: word(), exp: 4_000_000_000 })}.${word(32)}`,
  passphrase: `song of ${word(9)} & seeds`,
  ownerPassphrase: `cage of ${word(9)} + perch`,
  rpcPath: `p${word()}`,
  rpcQuery: `q${word()}`,
  rpcUser: `u${word()}`,
  webhook: `w${word()}`,
  /** Password of a ledger on PostgreSQL. */
  ledger: `l${word()}`,
});

/** Returns the encodings of a text: plain, URL- and JSON-escaped, and its bytes in any encoding. */
export function formsOf(value: Uint8Array): readonly string[] {
  const buffer = Buffer.from(value);
  const text = buffer.toString('utf8');
  const isText = Buffer.from(text).equals(buffer);
  const base64 = [0, 1, 2].flatMap((shift) => {
    const whole = Buffer.concat([Buffer.alloc(shift), buffer]).toString('base64');
    // Omits characters that depend on adjacent bytes.
    const inner = whole.replace(/=+$/, '').slice(shift === 0 ? 0 : shift + 1, -1);
    return [inner, inner.replaceAll('+', '-').replaceAll('/', '_')];
  });
  return [
    buffer.toString('latin1'),
    buffer.toString('hex'),
    buffer.toString('hex').toUpperCase(),
    bs58.encode(buffer),
    [...buffer].join(','),
    [...buffer].join(', '),
    ...base64,
    ...(isText ? [encodeURIComponent(text), JSON.stringify(text).slice(1, -1)] : []),
    ...(isText ? [new URLSearchParams({ v: text }).toString().slice(2)] : []),
  ];
}

/** Returns the names of canaries found in `bytes`, with their encoding. */
export function found(bytes: Buffer | string, canaries: readonly Canary[]): string[] {
  const text = typeof bytes === 'string' ? Buffer.from(bytes).toString('latin1') : bytes.toString('latin1');
  return canaries.flatMap(({ name, value }) =>
    formsOf(value).flatMap((form, index) => (text.includes(form) ? [`${name} (form ${index})`] : [])),
  );
}

/** Returns every file below a folder, with its bytes. */
export const filesBelow = (folder: string): { path: string; bytes: Buffer }[] =>
  readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => ({ path, bytes: readFileSync(path) }));
