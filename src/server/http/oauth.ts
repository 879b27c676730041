/**
 * Checks OAuth access tokens as a resource server (RFC 9068, RFC 8725): signed by a key of the issuer's published set
 * with an asymmetric algorithm, for this server, by this issuer, and currently valid. The set is cached; a missing
 * key triggers a refresh, at most every 30 seconds.
 */
import type { AuthorizationServerMetadata } from '@modelcontextprotocol/server';
import { createRemoteJWKSet, customFetch, errors, type JWTVerifyGetKey, jwtVerify } from 'jose';
import { asRecord } from '../../base/record.ts';
import { orAborted, systemClock, withDeadline } from '../../clock.ts';
import { isLoopback } from '../../service/rootUrl.ts';
import type { Authenticated, Authenticator } from './caller.ts';

/** Asymmetric algorithms only, so that a public key cannot be used as a shared secret. */
const ALGORITHMS = [
  'EdDSA',
  'Ed25519',
  'ES256',
  'ES384',
  'ES512',
  'PS256',
  'PS384',
  'PS512',
  'RS256',
  'RS384',
  'RS512',
];
/** Accepted `typ` values in lower case. Some issuers omit it; other kinds of tokens are refused. */
const TYPES: readonly unknown[] = [undefined, 'at+jwt', 'application/at+jwt', 'jwt'];
/** Allowed clock skew to the issuer, in seconds. */
const SKEW_SECONDS = 5;
/** Maximum length of a token in characters. */
const LONGEST_TOKEN = 8_192;
const ANSWER_MS = 5_000;
/** Maximum size of an issuer's answer in bytes; key sets have a few thousand. */
const MAX_ANSWER_BYTES = 1024 * 1024;
/** Wait before an issuer that failed is asked again. */
const PAUSE_MS = 5_000;

export interface OAuthOptions {
  /** The issuer exactly as in its tokens. */
  readonly issuer: string;
  /** This server's own address, as in the `aud` of its tokens. */
  readonly audience: string;
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** Error for unusable issuer metadata; the message gives the reason. */
export class IssuerError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'IssuerError';
  }
}

/** An authenticator with the issuer's metadata. */
export interface OAuthAuthenticator extends Authenticator {
  /** Returns the issuer's metadata, fetched once. Rejects with `IssuerError`. */
  metadata(): Promise<AuthorizationServerMetadata>;
}

/** Creates the authenticator. Reads nothing before the first token. */
export function createOAuth(given: OAuthOptions): OAuthAuthenticator {
  const options = { ...given, fetch: bounded(given.fetch) };
  let found: Promise<AuthorizationServerMetadata> | undefined;
  let keys: JWTVerifyGetKey | undefined;
  const metadata = (): Promise<AuthorizationServerMetadata> => {
    found ??= discover(options).catch((error: unknown) => {
      // During the pause every request gets this result, so that an unavailable issuer is not asked by each of them.
      setTimeout(() => {
        found = undefined;
      }, PAUSE_MS).unref();
      throw error;
    });
    return found;
  };
  const keySet = async (): Promise<JWTVerifyGetKey> => {
    const { jwks_uri } = await metadata();
    keys ??= createRemoteJWKSet(safeUrl(jwks_uri, 'jwks_uri'), {
      timeoutDuration: ANSWER_MS,
      [customFetch]: options.fetch,
    });
    return keys;
  };
  return {
    metadata,
    check: async (token) => {
      if (token === undefined) return refused('no token');
      if (token.length > LONGEST_TOKEN) return refused('the token is too long');
      try {
        const { payload, protectedHeader } = await jwtVerify(token, await keySet(), {
          algorithms: ALGORITHMS,
          issuer: options.issuer,
          audience: options.audience,
          requiredClaims: ['iss', 'sub', 'aud', 'exp'],
          clockTolerance: SKEW_SECONDS,
          currentDate: new Date(options.now()),
        });
        const typ: unknown = protectedHeader.typ;
        if (!TYPES.includes(typeof typ === 'string' ? typ.toLowerCase() : typ))
          return refused(`unsupported token type: ${String(typ).slice(0, 40)}`);
        const { sub = '', exp = 0, client_id } = payload;
        if (sub === '') return refused('the subject is empty');
        return {
          ok: true,
          identity: { issuer: options.issuer, subject: sub },
          auth: {
            token,
            clientId: typeof client_id === 'string' ? client_id : sub,
            scopes: scopesOf(payload),
            expiresAt: exp,
            resource: new URL(options.audience),
          },
        };
      } catch (error) {
        if (!isAboutToken(error))
          return { ok: false, status: 503, why: `the issuer's keys cannot be fetched: ${messageOf(error)}` };
        return refused(messageOf(error));
      }
    },
  };
}

const refused = (why: string): Authenticated => ({ ok: false, status: 401, why });
/** Returns whether an error is about the token; other library errors are about fetching the key set. */
const isAboutToken = (error: unknown): boolean =>
  error instanceof errors.JOSEError &&
  !['ERR_JOSE_GENERIC', 'ERR_JWKS_TIMEOUT', 'ERR_JWKS_INVALID'].includes(error.code);
const messageOf = (error: unknown): string => (error instanceof Error ? error.message : 'unknown');

/** `scope` is space-separated text (RFC 8693); some issuers use `scp` instead. */
function scopesOf({ scope, scp }: Readonly<Record<string, unknown>>): string[] {
  const given = scope ?? scp;
  const words = typeof given === 'string' ? given.split(' ') : Array.isArray(given) ? given : [];
  return words.filter((word): word is string => typeof word === 'string' && word !== '');
}

/** Limits the size and duration of a response. Rejects with `IssuerError`. */
const bounded =
  (fetch: OAuthOptions['fetch']): OAuthOptions['fetch'] =>
  async (url, init) => {
    const answer = await fetch(url, init);
    const read = async (): Promise<Response> => {
      const pieces: Uint8Array[] = [];
      let size = 0;
      // Leaving the loop closes the connection.
      for await (const piece of answer.body ?? []) {
        size += piece.byteLength;
        if (size > MAX_ANSWER_BYTES)
          throw new IssuerError(`${url} answers more than ${MAX_ANSWER_BYTES} bytes`);
        pieces.push(piece);
      }
      return size === 0 ? new Response(null, answer) : new Response(Buffer.concat(pieces), answer);
    };
    return init.signal ? orAborted(read(), init.signal) : read();
  };

/** Fetches the issuer's metadata (RFC 8414, else OpenID Connect Discovery); it must name the requested issuer. */
async function discover({ issuer, fetch }: OAuthOptions): Promise<AuthorizationServerMetadata> {
  const base = safeUrl(issuer, 'issuer');
  const path = base.pathname === '/' ? '' : base.pathname;
  const places = [
    `${base.origin}/.well-known/oauth-authorization-server${path}`,
    `${base.origin}${path.replace(/\/$/, '')}/.well-known/openid-configuration`,
  ];
  let why = '';
  for (const place of places) {
    try {
      const { ok, status, text } = await withDeadline(
        { ms: ANSWER_MS, clock: systemClock },
        async (signal) => {
          const answer = await fetch(place, {
            redirect: 'error',
            headers: { accept: 'application/json' },
            signal,
          });
          return { ok: answer.ok, status: answer.status, text: await answer.text() };
        },
      );
      if (!ok) {
        why = `${place} answers ${status}`;
        continue;
      }
      const found = asRecord(JSON.parse(text));
      if (found.issuer !== issuer)
        throw new IssuerError(`the metadata at ${place} names another issuer than ${issuer}`);
      safeUrl(found.jwks_uri, 'jwks_uri');
      // Only `issuer` and `jwks_uri` are used here; clients get the rest unchanged.
      return found as unknown as AuthorizationServerMetadata;
    } catch (error) {
      if (error instanceof IssuerError) throw error;
      why = `${place}: ${messageOf(error)}`;
    }
  }
  throw new IssuerError(`the issuer's metadata cannot be read: ${why}`);
}

/** Parses an https URL, or http on this machine. Throws `IssuerError`. */
function safeUrl(text: unknown, what: string): URL {
  const url = typeof text === 'string' && URL.canParse(text) ? new URL(text) : undefined;
  if (
    url !== undefined &&
    (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname)))
  )
    return url;
  throw new IssuerError(`the ${what} must be an https address`);
}
