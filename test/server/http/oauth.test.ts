/** Access tokens: the response to each kind of bad one, and acceptance of a valid one. */
import { exportSPKI, generateKeyPair, UnsecuredJWT } from 'jose';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { createOAuth } from '../../../src/server/http/oauth.ts';
import { type Issuer, startIssuer } from './issuer.ts';
import { modern, modernHeaders, post, principal, type Served, serve } from './served.ts';

const AUDIENCE = 'https://agents.example.com/mcp';

let issuer: Issuer;
let other: Issuer;
let server: Served;

const oauthOf = (url: string) =>
  createOAuth({
    issuer: url,
    audience: AUDIENCE,
    fetch: (address, init) => fetch(address, init),
    now: () => Date.now(),
  });

beforeAll(async () => {
  issuer = await startIssuer(AUDIENCE);
  other = await startIssuer(AUDIENCE);
  const agent = principal('market-maker');
  const authenticator = oauthOf(issuer.url);
  server = await serve(
    authenticator,
    (identity) => ('subject' in identity && identity.subject === 'agent-1' ? agent : undefined),
    { oauth: { audience: AUDIENCE, authenticator } },
  );
});
afterAll(async () => {
  await server.close();
  await issuer.close();
  await other.close();
});
afterEach(() => {
  vi.useRealTimers();
});

const list = (token?: string) =>
  post(server.url, modern('tools/list'), {
    ...modernHeaders('tools/list'),
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
  });
const call = (token: string, name: string) =>
  post(server.url, modern('tools/call', { name, arguments: {} }), {
    ...modernHeaders('tools/call', name),
    authorization: `Bearer ${token}`,
  });
const soon = (seconds: number): number => Math.floor(Date.now() / 1_000) + seconds;
const challengeOf = (answer: { headers: Readonly<Record<string, unknown>> }): string =>
  String(answer.headers['www-authenticate']);

test('a valid token lists the tools; the log contains its principal and no part of the token', async () => {
  const token = await issuer.token();
  const answer = await list(token);
  expect(answer.status).toBe(200);
  expect(answer.body).toContain('"submit_plan"');
  const record = server.records.at(-1);
  expect(record).toMatchObject({ principal: 'market-maker', method: 'tools/list', status: 200 });
  expect(JSON.stringify(server.records)).not.toContain(token.slice(0, 20));
});

test('a client without a token receives the metadata address, and the metadata names the issuer', async () => {
  const answer = await list();
  expect(answer.status).toBe(401);
  const place = /resource_metadata="([^"]+)"/.exec(challengeOf(answer))?.[1] ?? '';
  expect(place).toBe('https://agents.example.com/.well-known/oauth-protected-resource/mcp');
  const metadata = await post(`${server.origin}${new URL(place).pathname}`, '', {}, 'GET');
  expect(metadata.status).toBe(200);
  expect(JSON.parse(metadata.body)).toMatchObject({
    resource: AUDIENCE,
    authorization_servers: [expect.stringMatching(`^${issuer.url}/?$`)],
    scopes_supported: ['read', 'build', 'submit'],
  });
});

describe('T120 refuses a token that', () => {
  const refused: Readonly<Record<string, () => Promise<string>>> = {
    'is for another audience': () => issuer.token({ aud: 'https://other.example.com/mcp' }),
    'is for this host but another path': () => issuer.token({ aud: 'https://agents.example.com/' }),
    'has expired': () => issuer.token({ exp: soon(-60) }),
    'never expires': () => issuer.token({ exp: undefined as unknown as number }),
    'is not valid yet': () => issuer.token({ nbf: soon(60) }),
    'names another issuer': () => issuer.token({ iss: 'https://login.example.com' }),
    'is of another issuer, signed by that one': () => other.token(),
    'is of another issuer that names this one': () => other.token({ iss: issuer.url }),
    'names no subject': () => issuer.token({ sub: undefined as unknown as string }),
    'has an empty subject': () => issuer.token({ sub: '' }),
    'is not signed (`alg: none`)': async () =>
      new UnsecuredJWT({ scope: 'read build submit' })
        .setIssuer(issuer.url)
        .setSubject('agent-1')
        .setAudience(AUDIENCE)
        .setExpirationTime('5m')
        .encode(),
    "takes the issuer's public key for a shared secret": async () =>
      issuer.token(
        {},
        {
          header: { alg: 'HS256' },
          key: new TextEncoder().encode(await exportSPKI(issuer.key.publicKey)),
        },
      ),
    'brings its own key in its header': async () => {
      const mine = await generateKeyPair('ES256', { extractable: true });
      const { exportJWK } = await import('jose');
      return issuer.token({}, { header: { jwk: await exportJWK(mine.publicKey) }, key: mine.privateKey });
    },
    'points at a key set of its own': () =>
      other.token({ iss: issuer.url }, { header: { jku: `${other.url}/keys`, kid: 'mine' } }),
    'has a type that is no text': () => issuer.token({}, { header: { typ: 7 } }),
    'never expires, by a time that is no number': () =>
      issuer.token({ exp: String(soon(60)) as unknown as number }),
    'names its issuer with a slash at the end': () => issuer.token({ iss: `${issuer.url}/` }),
    'is for this audience in a list within a list': () =>
      issuer.token({ aud: [[AUDIENCE]] as unknown as string[] }),
    'names a key that the issuer does not have': () =>
      issuer.token({}, { header: { kid: 'key-of-another' } }),
    'is an identity token': () => issuer.token({}, { header: { typ: 'id_token' } }),
    'was changed by one character': async () => {
      const token = await issuer.token();
      const at = token.indexOf('.') + 5;
      return token.slice(0, at) + (token[at] === 'A' ? 'B' : 'A') + token.slice(at + 1);
    },
    'is no token at all': async () => 'hello',
    'is far too long': async () => 'a'.repeat(9_000),
  };
  for (const [name, token] of Object.entries(refused))
    test(name, async () => {
      const answer = await list(await token());
      expect(answer.status).toBe(401);
      expect(challengeOf(answer)).toContain('error="invalid_token"');
      // The reason appears in the log only; the client always gets the same text.
      expect(JSON.parse(answer.body)).toEqual({ message: 'A valid access token is required.' });
      expect(server.records.at(-1)?.why).toBeTruthy();
      expect(server.records.at(-1)?.principal).toBeUndefined();
    });
});

test('a valid token of a subject without a principal is refused, however similar the subject is', async () => {
  const none: unknown[] = [['agent-1'], 1, { subject: 'agent-1' }];
  for (const given of ['agent-2', 'Agent-1', 'agent-1 ', 'agent-1\u200b', 'ａgent-1', ...none]) {
    const sub = given as string;
    const answer = await list(await issuer.token({ sub }));
    expect([sub, answer.status]).toEqual([sub, 403]);
    expect(answer.body).toContain('principals file');
  }
});

describe('T121 a call without its scope', () => {
  test('lists the scopes to request, including the present ones', async () => {
    const reader = await issuer.token({ scope: 'read' });
    const build = await call(reader, 'create_fee_share_config');
    expect(build.status).toBe(403);
    expect(challengeOf(build)).toContain('error="insufficient_scope"');
    expect(challengeOf(build)).toContain('scope="read build"');
    expect(challengeOf(build)).toContain('resource_metadata="');
    const submit = await call(await issuer.token({ scope: 'read build' }), 'submit_plan');
    expect(submit.status).toBe(403);
    expect(challengeOf(submit)).toContain('scope="read build submit"');
  });

  test('is served once the scope is present, and reading needs the read scope', async () => {
    expect((await call(await issuer.token(), 'submit_plan')).status).toBe(200);
    expect((await call(await issuer.token({ scope: 'read' }), 'get_plan')).status).toBe(200);
    expect((await list(await issuer.token({ scope: 'submit' }))).status).toBe(403);
    expect((await list(await issuer.token({ scope: undefined as unknown as string }))).status).toBe(403);
  });

  test('is detected behind others in one body', async () => {
    const reader = await issuer.token({ scope: 'read' });
    const body = [
      { jsonrpc: '2.0', id: 1, method: 'tools/list' },
      { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'submit_plan', arguments: {} } },
    ];
    const answer = await post(server.url, body, { authorization: `Bearer ${reader}` });
    expect(answer.status).toBe(403);
  });
});

test('a key published later is found, and the old one no longer counts', async () => {
  const rotating = await startIssuer(AUDIENCE);
  const authenticator = oauthOf(rotating.url);
  const before = await rotating.token();
  expect((await authenticator.check(before)).ok).toBe(true);
  await rotating.rotate();
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 31_000 });
  expect((await authenticator.check(await rotating.token())).ok).toBe(true);
  expect((await authenticator.check(before)).ok).toBe(false);
  expect(rotating.requestCount()).toBe(2);
  await rotating.close();
});

test('many tokens with unknown keys ask the issuer once', async () => {
  const busy = await startIssuer(AUDIENCE);
  const authenticator = oauthOf(busy.url);
  for (let i = 0; i < 20; i += 1) {
    const checked = await authenticator.check(await busy.token({}, { header: { kid: `made-up-${i}` } }));
    expect(checked.ok).toBe(false);
  }
  expect(busy.requestCount()).toBe(1);
  await busy.close();
});

test("an issuer that does not respond, or with another's metadata, admits no agent and is reported", async () => {
  const gone = await startIssuer(AUDIENCE);
  const token = await gone.token();
  await gone.close();
  expect(await oauthOf(gone.url).check(token)).toMatchObject({ ok: false, status: 503 });
  const lying = await startIssuer(AUDIENCE, { issuer: 'https://login.example.com' });
  expect(await oauthOf(lying.url).check(await lying.token())).toMatchObject({
    ok: false,
    status: 503,
    why: expect.stringContaining('another issuer'),
  });
  await lying.close();
});

test('T144 an endless response of an issuer is not read to its end, and an ordinary one is', async () => {
  const block = new Uint8Array(64 * 1024).fill(32);
  let blocks = 0;
  const endless = () =>
    new Response(
      new ReadableStream({
        pull: (controller) => {
          blocks += 1;
          // Limits the amount read in a failing test.
          if (blocks > 200) controller.close();
          else controller.enqueue(block);
        },
      }),
    );
  for (const label of ['/keys', '/.well-known/']) {
    blocks = 0;
    const authenticator = createOAuth({
      issuer: issuer.url,
      audience: AUDIENCE,
      fetch: async (address, init) => (address.includes(label) ? endless() : fetch(address, init)),
      now: () => Date.now(),
    });
    const token = await issuer.token();
    expect(await authenticator.check(token)).toMatchObject({
      ok: false,
      status: 503,
      why: expect.stringContaining('more than 1048576 bytes'),
    });
    // The metadata is requested at two addresses.
    expect(blocks).toBeLessThan(50);
  }
  expect(await oauthOf(issuer.url).check(await issuer.token())).toMatchObject({ ok: true });
});
