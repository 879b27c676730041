/** Every endpoint of the sandbox over plain HTTP, on both deployments, without code of the client. */
import bs58 from 'bs58';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  bundleSchema,
  ENDPOINT_NAMES,
  type EndpointName,
  endpoints,
  planSchema,
} from '../../src/contract/index.ts';
import { profiles } from '../../src/contract/profiles/index.ts';
import { readTransaction } from '../../src/transaction/read.ts';
import { type Call, contractScene, type Scene } from './contractScene.ts';
import { at, list } from './service/support.ts';

/** The contract's operations, written out by hand. */
const OPERATIONS: Readonly<Record<EndpointName, string>> = {
  ping: 'GET /ping',
  createAgentKey: 'POST /api/v1/agent/dev/keys/create',
  authInit: 'POST /api/v1/agent/v2/auth/init',
  authCallback: 'POST /api/v1/agent/v2/auth/callback',
  createTokenInfo: 'POST /api/v1/token-launch/create-token-info',
  supportedQuoteTokens: 'GET /api/v1/token-launch/supported-quote-tokens',
  dammSupportedQuoteTokens: 'GET /api/v1/token-launch/damm-v2/supported-quote-tokens',
  dammLaunch: 'POST /api/v1/token-launch/damm-v2/create-transaction',
  dammLaunchV2: 'POST /api/v1/token-launch/damm-v2/create-transaction/v2',
  curveLaunch: 'POST /api/v1/token-launch/create-launch-transaction',
  curveLaunchV2: 'POST /api/v1/token-launch/create-transaction/v2',
  launchFeed: 'GET /api/v1/token-launch/feed',
  launchCreators: 'GET /api/v1/token-launch/creator/v3',
  feeShareConfig: 'POST /api/v1/fee-share/config/v2',
  updateFeeShareConfig: 'POST /api/v1/fee-share/admin/update-config/v2',
  feeShareWallet: 'GET /api/v1/fee-share/wallet/v2',
  claimTxs: 'POST /api/v1/token-launch/create-claim-txs/v2',
  claimablePositions: 'GET /api/v1/token-launch/claimable-positions/v2',
  claimEvents: 'GET /api/v1/fee-share/token/claim-events',
  vaultClaimables: 'GET /api/v1/token-launch/damm-v2/vault-claimables',
  claimVault: 'POST /api/v1/token-launch/damm-v2/claim-vault',
  deployerClaimables: 'GET /api/v1/fee-share/deployer/claimable-positions',
  deployerClaimTxs: 'POST /api/v1/fee-share/deployer/claim-txs',
  tradeQuote: 'GET /api/v1/trade/v2/quote',
  tradeSwap: 'POST /api/v1/trade/v2/swap',
  evmTrades: 'GET /api/v1/evm/rh/trades',
  evmTokenCreations: 'GET /api/v1/evm/rh/token-creations',
  evmCreatorRoster: 'GET /api/v1/evm/rh/creator-roster',
  evmCreatorEarnings: 'GET /api/v1/evm/rh/creator-earnings',
  startIncorporation: 'POST /api/v1/incorporate/start-incorporation/{tokenAddress}',
  listIncorporations: 'GET /api/v1/incorporate/list',
  tokenLifetimeFees: 'GET /api/v1/token-launch/lifetime-fees',
  topTokens: 'GET /api/v1/token-launch/top-tokens/lifetime-fees',
  claimStats: 'GET /api/v1/token-launch/claim-stats',
  partnerStats: 'GET /api/v1/fee-share/partner-config/stats',
  adminTokens: 'GET /api/v1/fee-share/admin/list',
};

/** Endpoints with the error in `response` (C-ERR-02). */
const RESPONSE_ERRORS: readonly EndpointName[] = [
  'evmTrades',
  'evmTokenCreations',
  'evmCreatorRoster',
  'evmCreatorEarnings',
  'claimEvents',
  'feeShareWallet',
];
const KEYLESS: readonly EndpointName[] = ['ping', 'createAgentKey', 'authInit', 'authCallback'];
/** Field unused by the sandbox: its wallet login has no second factor. */
const MAY_LACK = ['mfaRequired'];

/** Returns paths of schema fields absent from the answer; null counts as present. */
function lacking(schema: z.ZodType, value: unknown, path = ''): string[] {
  if (value === null || value === undefined) return [];
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable)
    return lacking(schema.unwrap() as z.ZodType, value, path); // zod types what it wraps as its core type
  if (schema instanceof z.ZodArray)
    return Array.isArray(value)
      ? value.flatMap((each) => lacking(schema.element as z.ZodType, each, path))
      : [path];
  if (!(schema instanceof z.ZodObject)) return [];
  return Object.entries(schema.shape).flatMap(([key, field]) => {
    const here = path === '' ? key : `${path}.${key}`;
    return key in Object(value) ? lacking(field as z.ZodType, at(value, key), here) : [here];
  });
}

const withQuery = (call: Call, extra: string): Call => ({
  ...call,
  path: `${call.path}${call.path.includes('?') ? '&' : '?'}${extra}`,
});

/** Adds an unknown field to a call. */
function withStranger(call: Call): Call {
  if (call.body instanceof FormData) {
    const form = new FormData();
    for (const [key, value] of call.body) form.set(key, value);
    form.set('stranger', '1');
    return { ...call, body: form };
  }
  return call.body === undefined
    ? withQuery(call, 'stranger=1')
    : { ...call, body: { ...call.body, stranger: 1 } };
}

describe.each(['contract', 'bags'] as const)('the sandbox as %s', (profile) => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await contractScene(profile);
  });
  afterAll(() => scene.close());

  const served = ENDPOINT_NAMES.filter((name) => !profiles[profile].unavailable.includes(name));
  const field = (name: EndpointName) => (RESPONSE_ERRORS.includes(name) ? 'response' : 'error');

  it.each(served)('%s responds as in the contract, in its envelope, with every field', async (name) => {
    const call = await scene.calls[name]();
    const [path] = call.path.split('?');
    if (profile === 'contract') {
      const shown = OPERATIONS[name].replace('{tokenAddress}', path?.split('/').at(-1) ?? '');
      expect(`${call.method} ${path}`).toBe(shown);
    }
    const answer = await scene.send(call);
    expect(answer.body).not.toHaveProperty('error');
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toContain('application/json');
    expect(answer.headers.get('x-ratelimit-limit')).toBe('5000');
    expect(answer.headers.get('x-ratelimit-remaining')).toMatch(/^[0-9]{1,4}$/);
    expect(answer.headers.get('x-ratelimit-reset')).toMatch(/^[0-9]{10}$/);

    if (name === 'ping') return expect(answer.body).toEqual({ message: 'pong' });
    expect(Object.keys(answer.body).sort()).toEqual(['response', 'success']);
    expect(answer.body.success).toBe(true);
    const payload = JSON.parse(
      JSON.stringify(answer.body.response).replaceAll(
        'bedrockShareBasisPoint',
        profile === 'bags' ? 'incorporationShareBasisPoint' : 'a name of another deployment',
      ),
    );
    const { response, plan } = endpoints[name];
    expect(response.safeParse(payload).error?.issues ?? []).toEqual([]);
    expect(lacking(response, payload).filter((each) => !MAY_LACK.includes(each))).toEqual([]);
    const staged = plan === 'response' ? payload : plan === 'response.plan' ? payload.plan : undefined;
    if (staged !== undefined) {
      expect(planSchema.safeParse(staged).error?.issues ?? []).toEqual([]);
      expect(staged.transactions.length).toBeGreaterThan(0);
    }
    if (name === 'dammLaunch') expect(bundleSchema.safeParse(payload).error?.issues ?? []).toEqual([]);
  });

  it.each(served)('%s refuses unknown input with 400 and a message', async (name) => {
    const call = withStranger(await scene.calls[name]());
    const answer = await scene.send(call);
    expect(answer.status).toBe(400);
    expect(Object.keys(answer.body).sort()).toEqual([field(name), 'success'].sort());
    expect(answer.body.success).toBe(false);
    expect(String(answer.body[field(name)])).toContain('stranger');
    expect(answer.headers.get('x-ratelimit-limit')).toBe('5000');
  });

  it.each(served)('C-AUTH-02 %s responds with 401 in the first error shape without a key', async (name) => {
    const call = await scene.calls[name]();
    for (const key of ['', 'sandbox_of_another_caller']) {
      const answer = await scene.send(call, { 'x-api-key': key });
      if (KEYLESS.includes(name)) {
        // A reused one-time challenge is refused for a reason other than the key.
        expect(answer.status).not.toBe(401);
        continue;
      }
      expect(answer.status).toBe(401);
      expect(answer.body).toEqual({
        success: false,
        error: 'Invalid API key. Please check your x-api-key header.',
      });
    }
  });

  it("C-WIRE-03 C-WIRE-04 encodes each transaction in its endpoint's one encoding", async () => {
    const older: readonly EndpointName[] = ['dammLaunch', 'claimVault', 'curveLaunch', 'deployerClaimTxs'];
    for (const name of served) {
      const where = endpoints[name].transactions;
      if (where === undefined) continue;
      const payload = (await scene.send(await scene.calls[name]())).body.response;
      const found = where.path
        .split('.')
        .filter((step) => step !== '')
        .reduce<unknown[]>(
          (values, step) => {
            const key = step.replace('[]', '');
            if (key === '') return values.flat();
            return values.flatMap((value) => (step.endsWith('[]') ? list(value, key) : [at(value, key)]));
          },
          [payload],
        );
      expect(found.length, name).toBeGreaterThan(0);
      for (const transaction of found) {
        const base58 = profile === 'bags' && older.includes(name);
        const bytes = base58 ? bs58.decode(String(transaction)) : Buffer.from(String(transaction), 'base64');
        expect(readTransaction(bytes).staticAccounts.length, name).toBeGreaterThan(0);
      }
    }
  });

  it('C-LIMIT-02 answers a ping with its headers only', async () => {
    const response = await fetch(`${scene.caller.sandbox.rootUrl}/ping`, { method: 'HEAD' });
    expect(response.status).toBe(200);
    expect(await response.text()).toBe('');
    expect(response.headers.get('x-ratelimit-limit')).toBe('5000');
  });

  it('C-ERR-03 responds with 404 in the second shape to an unknown EVM token', async () => {
    for (const name of ['evmTrades', 'evmCreatorRoster', 'evmCreatorEarnings'] as const) {
      const { path } = await scene.calls[name]();
      const unknown = path.replace(/tokenAddress=0x[0-9a-fA-F]{40}/, `tokenAddress=0x${'1'.repeat(40)}`);
      const answer = await scene.send({ method: 'GET', path: unknown });
      expect(answer.status).toBe(404);
      expect(Object.keys(answer.body).sort()).toEqual(['response', 'success']);
    }
  });

  it("C-ERR-03 responds with 403 to another caller's launch and 404 to an unknown path", async () => {
    const other = await scene.caller.otherKey('another caller');
    const foreign = await scene.send(await scene.calls.dammLaunch(), { 'x-api-key': other });
    expect(foreign.status).toBe(403);
    expect(typeof foreign.body.error).toBe('string');
    const nowhere = await scene.send({ method: 'GET', path: '/api/v1/token-launch/creator/v2' });
    expect(nowhere.status).toBe(404);
    expect(nowhere.body).toEqual({ success: false, error: 'Not found' });
  });

  it('accepts only the method of an endpoint', async () => {
    const { path } = await scene.calls.launchFeed();
    expect((await scene.send({ method: 'POST', path, body: {} })).status).toBe(404);
  });

  it('C-ERR-01 responds with 500 in its envelope on its own failure', async () => {
    scene.caller.sandbox.service.hostile.use((_endpoint, _answer) => {
      throw new Error('broken on purpose');
    });
    const answer = await scene.send(await scene.calls.launchFeed());
    scene.caller.sandbox.service.hostile.use(undefined);
    expect(answer.status).toBe(500);
    expect(answer.body).toEqual({ success: false, error: 'Internal server error: broken on purpose' });
    expect(answer.headers.get('x-ratelimit-limit')).toBe('5000');
  });

  it('C-LIMIT-01 C-LIMIT-03 counts every call against the hour and responds with 429 when it is used up', async () => {
    const { caller } = scene;
    const spare = await caller.otherKey('a busy one');
    await caller.control('rate-limit', { subject: spare, remaining: 1 });
    const feed = await scene.calls.launchFeed();
    expect((await scene.send(feed, { 'x-api-key': spare })).headers.get('x-ratelimit-remaining')).toBe('0');
    const answer = await scene.send(feed, { 'x-api-key': spare });
    expect(answer.status).toBe(429);
    const { resetTime, ...rest } = answer.body;
    expect(rest).toEqual({ success: false, error: 'Rate limit exceeded', limit: 5000, remaining: 0 });
    expect(Number(resetTime) * 1000).toBeGreaterThan(caller.sandbox.service.now());
    expect((await scene.send(feed)).status).toBe(200);
  });
});

it('the sandbox serves every operation of the contract', () => {
  expect(Object.keys(OPERATIONS)).toEqual([...ENDPOINT_NAMES]);
});
