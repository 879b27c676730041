/**
 * Handles one HTTP request: host and origin, size, token, principal, rate, scope, session, in this order (T120 to
 * T125). Serves two protocol revisions at one address, each by the SDK.
 */
import { randomUUID } from 'node:crypto';
import {
  type AuthInfo,
  createMcpHandler,
  getOAuthProtectedResourceMetadataUrl,
  hostHeaderValidationResponse,
  isLegacyRequest,
  type McpHttpHandler,
  originValidationResponse,
} from '@modelcontextprotocol/server';
import { isLoopback } from '../../service/rootUrl.ts';
import { inScope, type RequestScope } from '../scope.ts';
import { answer, metadataOf, type ParsedRequest, parseRequest, rpcError, tooMany } from './answers.ts';
import {
  type Authenticator,
  type Identity,
  type Principal,
  SCOPES,
  type Scope,
  scopeOf,
  toolOf,
} from './caller.ts';
import type { OAuthAuthenticator } from './oauth.ts';
import { createRates } from './rates.ts';
import { createSessions } from './sessions.ts';
import { whenDone } from './whenDone.ts';

/** The path of the MCP endpoint. */
export const MCP_PATH = '/mcp';

/** Log record of a request, without its token, arguments and answer. */
export interface RequestRecord {
  readonly request: string;
  readonly principal?: string | undefined;
  /** JSON-RPC method, and the name of a served tool if one is called. */
  readonly method?: string | undefined;
  readonly tool?: string | undefined;
  readonly status: number;
  /** Milliseconds until the answer began. */
  readonly ms: number;
  /** Why the request was refused. */
  readonly why?: string | undefined;
}

export interface HandlerOptions {
  /** Host names of this server, without ports; also the allowed origins of browser pages. */
  readonly hostnames: readonly string[];
  readonly authenticator: Authenticator;
  /** OAuth only: data of the resource metadata (RFC 9728). */
  readonly oauth?: { readonly audience: string; readonly authenticator: OAuthAuthenticator } | undefined;
  /** Returns the principal of an identity; `undefined` if the principals file does not name it. */
  readonly principalOf: (identity: Identity) => Principal | undefined;
  /** Returns why no work can be done now, for `/readyz`; `undefined` if ready. Never rejects. */
  readonly unready: () => Promise<string | undefined>;
  readonly record: (record: RequestRecord) => void;
  /** Returns monotonic milliseconds. */
  readonly passed: () => number;
  /** Removes secrets from outgoing text. */
  readonly redact: (text: string) => Promise<string>;
}

export interface HttpHandler {
  fetch(request: Request): Promise<Response>;
  /** Rejects new calls, and reports it at `/readyz`; open calls continue. */
  drain(): void;
  /** Resolves once no call is running, including calls of disconnected clients. */
  idle(): Promise<void>;
  /** Ends the sessions and event streams of a principal that was removed or changed. */
  forget(principal: Principal): Promise<void>;
  /** Ends every session and event stream. */
  close(): Promise<void>;
}

export function createHttpHandler(options: HandlerOptions): HttpHandler {
  const { authenticator, oauth, passed } = options;
  const rates = createRates(passed);
  const sessions = createSessions(passed, ({ server }) => server.connection());
  const modern = new Map<Principal, McpHttpHandler>();
  const metadataUrl = oauth && getOAuthProtectedResourceMetadataUrl(new URL(oauth.audience));
  let atWork = 0;
  let draining = false;
  const idle = new Set<() => void>();

  /** Returns the handler of the stateless revision for a principal. */
  const modernOf = (principal: Principal): McpHttpHandler => {
    const known = modern.get(principal);
    if (known !== undefined) return known;
    const made = createMcpHandler(() => principal.server.connection(), {
      legacy: 'reject',
      maxSubscriptions: 64,
    });
    modern.set(principal, made);
    return made;
  };

  /** Responds with 401 or 403 and what the client needs: where to get tokens, and which scopes to request. */
  const challenge = (
    status: 401 | 403,
    error: string,
    message: string,
    scopes: readonly string[],
  ): Response => {
    const parts = [
      ...(error === '' ? [] : [`error="${error}"`, `error_description="${message}"`]),
      `scope="${scopes.join(' ')}"`,
      ...(metadataUrl === undefined ? [] : [`resource_metadata="${metadataUrl}"`]),
    ];
    return answer(status, message, { 'www-authenticate': `Bearer ${parts.join(', ')}` });
  };

  const served = async (
    request: Request,
    record: Partial<Writable<RequestRecord>>,
    scope: RequestScope,
  ): Promise<Response> => {
    const refused =
      hostHeaderValidationResponse(request, [...options.hostnames]) ??
      originValidationResponse(request, [...options.hostnames]) ??
      otherTargetResponse(request);
    if (refused !== undefined) {
      record.why = 'host or origin';
      return refused;
    }
    const { pathname } = new URL(request.url);
    if (pathname === '/healthz') return answer(200, 'ok');
    if (pathname === '/readyz') {
      const why = draining ? STOPPING : await options.unready();
      return why === undefined ? answer(200, 'ready') : answer(503, `not ready: ${why}`);
    }
    if (oauth !== undefined && pathname.startsWith('/.well-known/')) {
      const found = await metadataOf(oauth, request);
      if (found !== undefined) return found;
    }
    if (pathname !== MCP_PATH) return answer(404, `Only ${MCP_PATH} is served here.`);
    if (draining) {
      record.why = STOPPING;
      return answer(503, 'This server is stopping. Retry with another instance.', { 'retry-after': '1' });
    }

    const token = /^Bearer +([^ ]+)$/i.exec(request.headers.get('authorization') ?? '')?.[1];
    const isLocal = isLoopback(new URL(request.url).hostname);
    const checked = await authenticator.check(token, isLocal);
    if (!checked.ok) {
      record.why = checked.why;
      if (checked.status === 503) return answer(503, 'Tokens cannot be checked now. Try again in a minute.');
      const error = token === undefined ? '' : 'invalid_token';
      return challenge(401, error, 'A valid access token is required.', SCOPES);
    }
    const principal = options.principalOf(checked.identity);
    if (principal === undefined) {
      record.why = 'a token of no principal';
      return answer(
        403,
        'The token is valid but belongs to no principal of this server. A person can add it to the principals file.',
      );
    }
    record.principal = principal.name;
    scope.principal = principal.name;
    const admitted = rates.admit(principal);
    if (!admitted.ok) {
      record.why = 'rate';
      return tooMany(admitted.retryAfterSeconds);
    }
    atWork += 1;
    const done = (): void => {
      admitted.done();
      atWork -= 1;
      if (atWork === 0) for (const resolve of idle) resolve();
    };
    try {
      const parsed = await parseRequest(request);
      if (parsed instanceof Response) {
        done();
        return parsed;
      }
      const [first] = parsed.messages;
      // Other text of an agent does not reach the log and the terminal that shows it.
      record.method = typeof first?.method === 'string' ? METHOD.exec(first.method)?.[0] : undefined;
      record.tool = first === undefined ? undefined : toolOf(first);
      // Each message of a body counts as a request.
      const wait = rates.charge(principal, parsed.messages.length - 1);
      if (wait !== undefined) {
        done();
        record.why = 'rate';
        return tooMany(wait);
      }
      const missing = parsed.messages.map(scopeOf).find((scope) => !checked.auth.scopes.includes(scope));
      if (missing !== undefined) {
        done();
        record.why = `the scope ${missing} is missing`;
        return stepUp(missing, checked.auth.scopes);
      }
      const isListening =
        request.method === 'GET' ||
        (parsed.messages.length === 1 &&
          !Array.isArray(parsed.body) &&
          first?.method === 'subscriptions/listen');
      const response = await dispatch(request, parsed, principal, checked.auth);
      // An open stream is not counted as work; it has its own limit.
      if (isListening) done();
      // Work of a disconnected client keeps its slot until it has ended.
      const ended = (): void => void Promise.allSettled([...scope.works]).then(done);
      return whenDone(response, options.redact, isListening ? () => undefined : ended);
    } catch (error) {
      done();
      throw error;
    }
  };

  const stepUp = (missing: Scope, has: readonly string[]): Response =>
    challenge(403, 'insufficient_scope', `This call needs the scope ${missing}.`, [
      ...SCOPES.filter((scope) => scope === missing || has.includes(scope)),
    ]);

  const dispatch = async (
    request: Request,
    { body, messages }: ParsedRequest,
    principal: Principal,
    authInfo: AuthInfo,
  ): Promise<Response> => {
    const given = { authInfo, ...(body === undefined ? {} : { parsedBody: body }) };
    if (await isLegacyRequest(request, body)) {
      const opens = messages.some((message) => message.method === 'initialize');
      const transport = await sessions.transportFor(request, opens, principal);
      if (transport !== undefined) return transport.handleRequest(request, given);
      return request.headers.get('mcp-session-id') === null
        ? rpcError(400, 'This request needs a session: send `initialize` first.')
        : rpcError(404, 'Unknown session. Send `initialize` to open one.');
    }
    return modernOf(principal).fetch(request, given);
  };

  return {
    fetch: async (request) => {
      const began = passed();
      const record: Partial<Writable<RequestRecord>> = {};
      const traceparent = request.headers.get('traceparent') ?? undefined;
      const scope: RequestScope = { request: randomUUID(), traceparent, works: new Set() };
      let response: Response;
      try {
        response = await inScope(scope, () => served(request, record, scope));
      } catch {
        // Unexpected errors may contain secrets in their text.
        record.why = 'internal error';
        response = answer(500, 'Internal error. The request may be sent again.');
      }
      options.record({
        ...record,
        request: scope.request,
        status: response.status,
        ms: Math.round(passed() - began),
      });
      return response;
    },
    drain: () => {
      draining = true;
    },
    idle: () =>
      atWork === 0
        ? Promise.resolve()
        : new Promise((resolve) => {
            const settle = (): void => {
              idle.delete(settle);
              resolve();
            };
            idle.add(settle);
          }),
    forget: async (principal) => {
      const known = modern.get(principal);
      modern.delete(principal);
      sessions.forget(principal);
      await known?.close();
    },
    close: async () => {
      await sessions.close();
      await Promise.all([...modern.values()].map((each) => each.close()));
    },
  };
}

/**
 * Refuses a request whose request line names another host than its `Host` header, since only the header was checked.
 * Requires that `Host` is a served name.
 */
function otherTargetResponse(request: Request): Response | undefined {
  const named = new URL(`http://${request.headers.get('host')}`).hostname;
  return new URL(request.url).hostname === named
    ? undefined
    : rpcError(403, 'The request line and the Host header name different hosts.');
}

const STOPPING = 'it is stopping';
/** A JSON-RPC method's name. */
const METHOD = /^[\w/]{1,64}$/;

type Writable<T> = { -readonly [K in keyof T]: T[K] };
