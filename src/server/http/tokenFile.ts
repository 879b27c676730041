/**
 * Bearer tokens in files, for agents on this machine: each file contains one token and is readable only by this user.
 * Only digests are kept, and compared in constant time.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import { readPrivateFile } from '../../secrets/privateFile.ts';
import { type Authenticator, SCOPES } from './caller.ts';

/** Minimum length of a token in characters: 128 random bits in hex. */
const SHORTEST = 32;
const MAX_BYTES = 1_024;
/** Expiry reported to the SDK; a file's token is valid as long as the process. */
const HOLDS_SECONDS = 3_600;

/** Error for an unusable token file; `hint` gives the next step. */
export class TokenFileError extends Error {
  readonly hint = 'Make one with: (umask 077; openssl rand -hex 32 > FILE)';

  constructor(message: string) {
    super(message);
    this.name = 'TokenFileError';
  }
}

/**
 * Reads the files once.
 * @throws TokenFileError for a missing file, a token under 32 characters, or the same token in two files
 * @throws SecretError for a file that other users can open
 */
export function createTokenFiles(paths: readonly string[], now: () => number): Authenticator {
  const known = paths.map((path) => ({ path, digest: digestOfFile(path) }));
  for (const [index, { path, digest }] of known.entries())
    if (known.findIndex((other) => other.digest.equals(digest)) !== index)
      throw new TokenFileError(`${path} contains the same token as another file.`);
  return {
    check: async (token, isLocal = true) => {
      if (!isLocal) return { ok: false, status: 401, why: 'token files are valid on this machine only' };
      if (token === undefined) return { ok: false, status: 401, why: 'no token' };
      const digest = sha256(token);
      // All digests are compared, for constant time.
      const matching = known.filter((each) => timingSafeEqual(each.digest, digest));
      const [found] = matching;
      if (found === undefined) return { ok: false, status: 401, why: 'the token matches no file' };
      const expiresAt = Math.floor(now() / 1_000) + HOLDS_SECONDS;
      return {
        ok: true,
        identity: { tokenFile: found.path },
        auth: { token, clientId: 'token file', scopes: [...SCOPES], expiresAt },
      };
    },
  };
}

function digestOfFile(path: string): Buffer {
  const file = readPrivateFile(path, MAX_BYTES);
  if (file === undefined) throw new TokenFileError(`There is no token file ${path}.`);
  try {
    const token = Buffer.from(file.bytes).toString('utf8').trim();
    if (token.length < SHORTEST || /\s/.test(token))
      throw new TokenFileError(`${path} must contain one token of at least ${SHORTEST} characters.`);
    return sha256(token);
  } finally {
    file.bytes.fill(0);
  }
}

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest();
