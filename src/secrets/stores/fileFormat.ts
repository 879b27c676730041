// Plain text format inside the encrypted file: a heading, then one line per secret, `name text VALUE` or `name bytes
// [1,2,…]`. Readable with `age -d`; wallet bytes have the keypair file format. Parsed and formatted as bytes, so that
// no secret becomes a string.

import { SecretError } from '../errors.ts';
import { formatByteArray, parseByteArray } from '../keys/byteArray.ts';
import { allocateSecretBytes, Secret } from '../secret.ts';

const HEADING = 'countersign-secrets 1';
const LINE_FEED = 0x0a;
const SPACE = 0x20;
const MAX_SECRET_BYTES = 16_384;

const ascii = (text: string) => new TextEncoder().encode(text);

/** Throws `INVALID_SECRET` for text with control characters or line breaks, or a value over 16 KiB. */
export function checkStorable(secret: Secret): void {
  const bytes = secret.exposeBytes();
  const hasControl = secret.kind === 'text' && bytes.some((value) => value < 0x20 || value === 0x7f);
  if (!hasControl && bytes.length > 0 && bytes.length <= MAX_SECRET_BYTES) return;
  throw new SecretError(
    'INVALID_SECRET',
    'The secret is empty, longer than 16 KiB or contains a line break or control character.',
    'Copy it again without spaces or line breaks around it, then run the command again.',
  );
}

/** Formats the plain text; the caller zeroes it. */
export function formatSecrets(entries: ReadonlyMap<string, Secret>): Uint8Array {
  const parts: Uint8Array[] = [ascii(`${HEADING}\n`)];
  const copies: Uint8Array[] = [];
  for (const [name, secret] of entries) {
    parts.push(ascii(`${name} ${secret.kind} `));
    if (secret.kind === 'text') {
      parts.push(secret.exposeBytes());
    } else {
      const array = formatByteArray(secret.exposeBytes());
      copies.push(array);
      parts.push(array);
    }
    parts.push(ascii('\n'));
  }
  const out = allocateSecretBytes(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  for (const copy of copies) copy.fill(0);
  return out;
}

/** Parses the plain text. Returns undefined unless it is exactly in the format of `formatSecrets`. */
export function parseSecrets(plaintext: Uint8Array): Map<string, Secret> | undefined {
  const entries = new Map<string, Secret>();
  const fail = () => {
    for (const secret of entries.values()) secret.wipe();
    return undefined;
  };
  let at = 0;
  let first = true;
  while (at < plaintext.length) {
    const end = plaintext.indexOf(LINE_FEED, at);
    if (end < 0) return fail();
    const line = plaintext.subarray(at, end);
    at = end + 1;
    if (first) {
      if (new TextDecoder().decode(line) !== HEADING) return fail();
      first = false;
      continue;
    }
    const afterName = line.indexOf(SPACE);
    const afterKind = afterName < 0 ? -1 : line.indexOf(SPACE, afterName + 1);
    if (afterKind < 0) return fail();
    const name = new TextDecoder().decode(line.subarray(0, afterName));
    const secret = parseValue(
      new TextDecoder().decode(line.subarray(afterName + 1, afterKind)),
      line.subarray(afterKind + 1),
    );
    if (secret === undefined || entries.has(name)) return fail();
    entries.set(name, secret);
  }
  return first ? fail() : entries;
}

function parseValue(kind: string, value: Uint8Array): Secret | undefined {
  if (kind === 'bytes') {
    const bytes = parseByteArray(value, MAX_SECRET_BYTES);
    return bytes === undefined ? undefined : Secret.adoptBytes(bytes);
  }
  if (kind !== 'text') return undefined;
  const copy = allocateSecretBytes(value.length);
  copy.set(value);
  return Secret.adoptText(copy);
}
