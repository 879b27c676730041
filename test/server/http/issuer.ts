/** OAuth authorization server for tests, on loopback: metadata, key set, and signed tokens. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';

type KeyPair = Awaited<ReturnType<typeof generateKeyPair>>;

export interface Issuer {
  readonly url: string;
  /** Current signing key. */
  readonly key: KeyPair;
  /** Issues a token; arguments replace the honest claims. */
  token(
    claims?: JWTPayload & { readonly scope?: string },
    how?: { readonly header?: Record<string, unknown>; readonly key?: KeyPair['privateKey'] | Uint8Array },
  ): Promise<string>;
  /** Rotates the signing key; the published set holds only the new one. */
  rotate(): Promise<void>;
  /** Number of key set requests. */
  readonly requestCount: () => number;
  close(): Promise<void>;
}

/** Starts an issuer. `audience` is the default of its tokens; `says` overrides its metadata. */
export async function startIssuer(
  audience: string,
  says: { readonly issuer?: string } = {},
): Promise<Issuer> {
  let kid = 'key-1';
  let key = await generateKeyPair('ES256', { extractable: true });
  let asked = 0;
  let url = '';
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? '/', url);
    if (pathname === '/keys') asked += 1;
    const known: Record<string, unknown> = {
      '/.well-known/oauth-authorization-server': {
        issuer: says.issuer ?? url,
        jwks_uri: `${url}/keys`,
        authorization_endpoint: `${url}/authorize`,
        token_endpoint: `${url}/token`,
        response_types_supported: ['code'],
      },
      '/keys': { keys: [{ ...(await exportJWK(key.publicKey)), kid, alg: 'ES256', use: 'sig' }] },
    };
    response.writeHead(pathname in known ? 200 : 404, { 'content-type': 'application/json' });
    response.end(JSON.stringify(known[pathname] ?? {}));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    get key() {
      return key;
    },
    token: async (claims = {}, { header = {}, key: other } = {}) => {
      const now = Math.floor(Date.now() / 1_000);
      return new SignJWT({
        iss: url,
        sub: 'agent-1',
        aud: audience,
        iat: now,
        exp: now + 300,
        scope: 'read build submit',
        ...claims,
      })
        .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid, ...header })
        .sign(other ?? key.privateKey);
    },
    rotate: async () => {
      key = await generateKeyPair('ES256', { extractable: true });
      kid = 'key-2';
    },
    requestCount: () => asked,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
