/**
 * Checks OAuth access tokens as a resource server does (RFC 9068, RFC 8725): signed by a key of the issuer's published
 * set with an asymmetric algorithm, for this server, by this issuer, within its time. The set is cached; a key that is not
 * in it is looked for once more, at most every half minute.
 */
import type { AuthorizationServerMetadata } from '@modelcontextprotocol/server';
import { createRemoteJWKSet, customFetch, errors, type JWTVerifyGetKey, jwtVerify } from 'jose';
import { asRecord } from '../../base/record.ts';
import { orAborted, systemClock, withDeadline } from '../../clock.ts';
import { isLoopback } from '../../service/rootUrl.ts';
import type { Authenticated, Authenticator } from './caller.ts';

/** Asymmetric algorithms only: a public key can then never be taken for a shared secret. */
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
/** The types of an access token, in lower case. Some issuers leave it out; that of another kind of token is refused. */
const TYPES: readonly unknown[] = [undefined, 'at+jwt', 'application/at+jwt', 'jwt'];
/** How far the issuer's clock may be from ours, in seconds. */
const SKEW_SECONDS = 5;
/** Longest token that is looked at, in characters. */
const LONGEST_TOKEN = 8_192;
const ANSWER_MS = 5_000;
/** Most that is read of an answer of the issuer, in bytes: key sets have a few thousand. */
const MAX_ANSWER_BYTES = 1024 * 1024;
/** How long an issuer that failed is not asked again. */
const PAUSE_MS = 5_000;

export interface OAuthOptions {
  /** The issuer exactly as it stands in its tokens. */
  readonly issuer: string;
  /** This server's own address, as it stands in tokens that are meant for it. */
  readonly audience: string;
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** Thrown where the issuer's metadata cannot be used; the message says why. */
export class IssuerError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'IssuerError';
  }
}

/** A check of tokens that also tells where the issuer's metadata came from. */
export interface OAuthAuthenticator extends Authenticator {
  /** The issuer's metadata, fetched once. Rejects with `IssuerError`. */
  metadata(): Promise<AuthorizationServerMetadata>;
}

/** Reads nothing until the first token comes. */
export function createOAuth(given: OAuthOptions): OAuthAuthenticator {
  const options = { ...given, fetch: bounded(given.fetch) };
  let found: Promise<AuthorizationServerMetadata> | undefined;
  let keys: JWTVerifyGetKey | undefined;
  const metadata = (): Promise<AuthorizationServerMetadata> => {
    found ??= discover(options).catch((error: unknown) => {
      // Until the pause is over every request gets this answer: an issuer that is down is not asked by each of them.
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
          return refused(`a token of another kind: ${String(typ).slice(0, 40)}`);
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
/** The library's own errors are about the token, but for those about the set of keys and the way to it. */
const isAboutToken = (error: unknown): boolean =>
  error instanceof errors.JOSEError &&
  !['ERR_JOSE_GENERIC', 'ERR_JWKS_TIMEOUT', 'ERR_JWKS_INVALID'].includes(error.code);
const messageOf = (error: unknown): string => (error instanceof Error ? error.message : 'unknown');

/** `scope` is a text with blanks (RFC 8693), `scp` what some issuers write instead. */
function scopesOf({ scope, scp }: Readonly<Record<string, unknown>>): string[] {
  const given = scope ?? scp;
  const words = typeof given === 'string' ? given.split(' ') : Array.isArray(given) ? given : [];
  return words.filter((word): word is string => typeof word === 'string' && word !== '');
}

/** Reads no more of an answer than fits, and no longer than it is waited for. Rejects with `IssuerError`. */
const bounded =
  (fetch: OAuthOptions['fetch']): OAuthOptions['fetch'] =>
  async (url, init) => {
    const answer = await fetch(url, init);
    const read = async (): Promise<Response> => {
      const pieces: Uint8Array[] = [];
      let size = 0;
      // Leaving the loop ends the connection.
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

/** The issuer's metadata (RFC 8414, else OpenID Connect Discovery): it must name the very issuer that was asked for. */
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
        throw new IssuerError(`the metadata at ${place} is of another issuer than ${issuer}`);
      safeUrl(found.jwks_uri, 'jwks_uri');
      // Only `issuer` and `jwks_uri` are used here; the rest is passed on to clients as the issuer wrote it.
      return found as unknown as AuthorizationServerMetadata;
    } catch (error) {
      if (error instanceof IssuerError) throw error;
      why = `${place}: ${messageOf(error)}`;
    }
  }
  throw new IssuerError(`the issuer's metadata cannot be read: ${why}`);
}

/** An https address, or http on this machine. Throws `IssuerError`. */
function safeUrl(text: unknown, what: string): URL {
  const url = typeof text === 'string' && URL.canParse(text) ? new URL(text) : undefined;
  if (
    url !== undefined &&
    (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname)))
  )
    return url;
  throw new IssuerError(`the ${what} must be an https address`);
}
