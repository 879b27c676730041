/** The HTTP layer of the service: API keys, rate limits, envelopes and errors. Sends no CORS headers. */
import { getConnInfo } from '@hono/node-server/conninfo';
import { type Context, Hono } from 'hono';
import { ENDPOINT_NAMES, type EndpointName, type EndpointRequest } from '../../../src/contract/index.ts';
import { endpointOf, pathTemplate, profiles, responseToWire } from '../../../src/contract/profiles/index.ts';
import { LandError } from '../onchain.ts';
import type { Service } from '../service.ts';
import type { ServiceEnv, User } from '../state.ts';
import { userOfKey } from './accounts.ts';
import { ServiceError } from './errors.ts';
import { faulty } from './faults.ts';
import { RateLimiter, type RateStatus } from './rateLimit.ts';
import { readRequest } from './requests.ts';

/** Handles one endpoint and returns the payload without its envelope. */
export type Handler<N extends EndpointName> = (
  service: Service,
  request: EndpointRequest<N>,
  user: User,
) => Promise<unknown> | unknown;

export type Handlers = { readonly [N in EndpointName]?: Handler<N> };

export const REQUESTS_PER_HOUR = 5000;
const NO_KEY = 'Invalid API key. Please check your x-api-key header.';
const LOCAL_HOST = /^(127\.0\.0\.1|localhost|\[::1\])(:[0-9]+)?$/;
const ANONYMOUS: User = { userId: 'anonymous', name: 'anonymous' };
/** Endpoints whose errors other than 401 have the shape `{success, response}`. */
const RESPONSE_ERRORS = /\/(evm\/rh\/|fee-share\/token\/claim-events|(token-launch\/)?fee-share\/wallet\/v2)/;

/** Creates the hono app. Routes that are added later share its middleware. */
export function createApp(
  service: Service,
  handlers: Handlers,
): { app: Hono<ServiceEnv>; limiter: RateLimiter } {
  const app = new Hono<ServiceEnv>({ strict: true });
  const profile = profiles[service.profile];
  const limiter = new RateLimiter(REQUESTS_PER_HOUR, () => service.now());
  const keyless = new Set(
    (['ping', 'createAgentKey', 'authInit', 'authCallback'] as const).map((name) =>
      pathTemplate(profile, name),
    ),
  );

  app.use(async (context, next) => {
    // Prevents DNS rebinding by web pages.
    if (!LOCAL_HOST.test(context.req.header('host') ?? '')) {
      return context.json({ success: false, error: 'This sandbox answers on loopback only' }, 403);
    }
    return next();
  });
  app.use(faulty(service.faults, () => service.now()));
  app.use(async (context, next) => {
    const { path } = context.req;
    if (path.startsWith('/sandbox/')) return next();
    const user = userOfKey(service.state, context.req.header('x-api-key'));
    const subjects = [`ip ${addressOf(context)}`, ...(user === undefined ? [] : [`user ${user.userId}`])];
    const rate = limiter.count(subjects);
    context.set('user', user ?? ANONYMOUS);
    if (!rate.allowed) return withRate(tooMany(context, rate), rate);
    if (user === undefined && !keyless.has(path)) {
      return withRate(context.json({ success: false, error: NO_KEY }, 401), rate);
    }
    await next();
    withRate(context.res, rate);
    return undefined;
  });

  app.onError((error, context) => {
    const refusal = error instanceof ServiceError ? error : undefined;
    const message = refusal?.message ?? internalMessage(error);
    const status = refusal?.status ?? 500;
    const field = RESPONSE_ERRORS.test(context.req.path) && status !== 401 ? 'response' : 'error';
    const response = context.json({ success: false, [field]: message }, status);
    const user = context.get('user');
    const subjects = [`ip ${addressOf(context)}`];
    if (user !== undefined && user !== ANONYMOUS) subjects.push(`user ${user.userId}`);
    return withRate(response, limiter.peek(subjects));
  });
  app.notFound((context) => context.json({ success: false, error: 'Not found' }, 404));

  for (const name of ENDPOINT_NAMES) {
    // The schema has validated the request.
    const handler = handlers[name] as ((s: Service, r: unknown, u: User) => unknown) | undefined;
    if (handler === undefined || profile.unavailable.includes(name)) continue;
    const path = pathTemplate(profile, name).replace(/\{(\w+)\}/g, ':$1');
    const { method, envelope } = endpointOf(name);
    app.on(method, path, async (context) => {
      if (service.seedsOnRequest && !keyless.has(context.req.path)) await service.ready();
      const original = await readRequest(context, profile, name);
      const refused = profile.refuse(name, { ...asObject(original) });
      if (refused !== undefined) throw new ServiceError(400, refused);
      const request = service.hostile.request(name, original);
      const answer = await handler(service, request, context.get('user'));
      const served = await service.hostile.answer(name, answer, original);
      const wire = responseToWire(profile, name, served);
      return context.json(envelope === 'none' ? asObject(wire) : { success: true, response: wire });
    });
  }
  return { app, limiter };
}

function asObject(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

function addressOf(context: Context<ServiceEnv>): string {
  try {
    return getConnInfo(context).remote.address ?? 'unknown';
  } catch {
    return 'unknown';
  }
}

function tooMany(context: Context<ServiceEnv>, { limit, resetTime }: RateStatus): Response {
  const body = { success: false, error: 'Rate limit exceeded', limit, remaining: 0, resetTime };
  return context.json(body, 429);
}

function withRate(response: Response, rate: RateStatus): Response {
  response.headers.set('X-RateLimit-Limit', String(rate.limit));
  response.headers.set('X-RateLimit-Remaining', String(rate.remaining));
  response.headers.set('X-RateLimit-Reset', String(rate.resetTime));
  return response;
}

/** Returns the reason of a failure; a sandbox has no secrets. */
function internalMessage(error: unknown): string {
  if (error instanceof LandError) return `Internal server error: ${error.message.slice(0, 300)}`;
  return `Internal server error: ${error instanceof Error ? error.message.slice(0, 300) : 'unknown'}`;
}
