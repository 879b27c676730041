/**
 * The service client: one typed `call` per endpoint. Validates the request before sending, fails fast on rate limits,
 * retries only idempotent calls, gives every call one deadline, and returns the answer in the contract's names. Rows
 * F01 to F17 of the fault tests.
 */
import { type Clock, withDeadline } from '../clock.ts';
import type { EndpointName, EndpointRequest, EndpointResponse } from '../contract/index.ts';
import { describeIssues } from '../contract/issues.ts';
import {
  endpointOf,
  pathOf,
  requestToWire,
  responseFromWire,
  type ServiceProfile,
  sendKind,
} from '../contract/profiles/index.ts';
import { parseTolerantly } from '../contract/tolerant.ts';
import { createBreaker } from './breaker.ts';
import type { BudgetPurpose, RateBudget } from './budget.ts';
import { ServiceError } from './errors.ts';
import { type Exchange, exchange, type FetchLike, type Outgoing } from './exchange.ts';
import { badBody, type CallFacts, readOutcome, unknownOutcome } from './outcome.ts';
import { createRateGate, type RateHeaders, readRateHeaders, readRefusal } from './rate.ts';
import { parseRootUrl } from './rootUrl.ts';

/** Deadline of a whole call in milliseconds, including retries, pauses and body (F03). */
export const DEADLINE_MS = 30_000;
export const MAX_TRIES = 3;
const PAUSES_MS = [250, 1000] as const;
/** Tolerated clock skew in seconds for times that must not be in the future. */
const SKEW_SECONDS = 60;

export interface ServiceClientOptions {
  readonly profile: ServiceProfile;
  /** Origin of the service: https, or http on this machine. */
  readonly rootUrl: string;
  /** Returns the key stored for this origin, if any. Called for every call; the client keeps no copy. */
  readonly apiKey: (origin: string) => Promise<string | undefined>;
  readonly fetch: FetchLike;
  readonly clock: Clock;
  readonly budget: RateBudget;
  /** Removes secrets sent to the service from its answer, before the answer is read or stored. */
  readonly withoutSecrets?: (answer: unknown) => unknown;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
  /** Purpose in the rate budget; reconciling has a reserve. Default `call`. */
  readonly purpose?: BudgetPurpose;
}

/** State of the key: `refused` after a 401, `accepted` after a successful call that needed it. */
export type KeyState = 'unknown' | 'accepted' | 'refused';

export interface ServiceClient {
  /**
   * Calls an endpoint. Rejects with a `ServiceError`; errors of the key provider and the budget pass through. Request
   * and answer use the contract's names; unknown answer fields are kept, unreadable rows of reads are left out.
   */
  call<N extends EndpointName>(
    name: N,
    request: EndpointRequest<N>,
    options?: CallOptions,
  ): Promise<EndpointResponse<N>>;
  /** Returns the rate headers of the last answer that had them. */
  rate(): RateHeaders | undefined;
  keyState(): KeyState;
  /** The origin of every call. */
  readonly origin: string;
  readonly profile: ServiceProfile;
}

/** Creates a client. Throws if the root URL is invalid; has no other effect before a call. */
export function createServiceClient(options: ServiceClientOptions): ServiceClient {
  const { profile, apiKey, fetch, clock, budget } = options;
  const origin = parseRootUrl(options.rootUrl);
  const gate = createRateGate(clock.now);
  const breaker = createBreaker(clock.now);
  let lastRate: RateHeaders | undefined;
  let keyState: KeyState = 'unknown';

  /** Returns the key for a call, as required by the endpoint (C-AUTH-01 … 03). */
  async function keyFor(name: EndpointName): Promise<string | undefined> {
    const { keyed } = endpointOf(name);
    if (keyed === false) return undefined;
    const key = await apiKey(origin);
    if (key === undefined) {
      if (keyed === 'try') return undefined;
      throw new ServiceError(
        'UNAUTHORIZED',
        'This call needs an API key, and none is stored for this service.',
        {
          hint: 'The user can store one with `countersign login`; create_agent_key makes one from a login JWT.',
        },
      );
    }
    if (!/^[\x21-\x7e]{1,512}$/.test(key)) {
      throw new ServiceError(
        'KEY_REFUSED',
        'The stored API key contains invalid characters; it was not sent.',
        {
          hint: 'Store the key again, without spaces or line breaks.',
        },
      );
    }
    return key;
  }

  async function prepare(name: EndpointName, request: unknown): Promise<Record<string, unknown>> {
    const endpoint = endpointOf(name);
    if (profile.unavailable.includes(name)) {
      throw new ServiceError('ENDPOINT_UNAVAILABLE', 'This service does not have this endpoint.', {
        hint: `It is not part of the "${profile.name}" profile.`,
      });
    }
    const parsed = endpoint.request.safeParse(request);
    const invalid = (problem: string) =>
      new ServiceError('INVALID_INPUT', `The request is not valid: ${problem}.`, {
        hint: 'Correct the named fields; nothing was sent.',
      });
    if (!parsed.success) throw invalid(describeIssues(parsed.error.issues));
    // Every request schema is an object.
    const fields = parsed.data as Record<string, unknown>;
    const latest = clock.now() / 1000 + SKEW_SECONDS;
    for (const field of endpoint.notAfterNow ?? []) {
      const value = fields[field];
      if (typeof value === 'number' && value > latest) throw invalid(`${field}: lies in the future`);
    }
    const refused = profile.refuse(name, fields);
    if (refused !== undefined) throw invalid(refused);
    if (endpoint.evmAddresses === undefined) return fields;
    const { withChecksums } = await import('./eip55.ts');
    return withChecksums(fields, endpoint.evmAddresses);
  }

  /** Refuses calls locally that the service would refuse or could not answer. */
  function guard(name: EndpointName): void {
    const limited = gate.blockedUntil(name);
    if (limited !== undefined) throw rateLimited(limited, 'The service asked to wait.');
    const resting = breaker.openUntil();
    if (resting !== undefined) {
      throw new ServiceError(
        'CIRCUIT_OPEN',
        'The service failed several times in a row; the call was not sent.',
        {
          hint: `Try again in ${seconds(resting)} seconds.`,
          retryAt: resting,
        },
      );
    }
  }

  const seconds = (until: number) => Math.max(1, Math.ceil((until - clock.now()) / 1000));

  function rateLimited(until: number, message: string, status?: number): ServiceError {
    return new ServiceError('RATE_LIMITED', message, {
      hint: `Try again in ${seconds(until)} seconds. Other keys of the account share the limit.`,
      retryAt: until,
      ...(status === undefined ? {} : { status }),
    });
  }

  function transportError(facts: CallFacts, kind: 'unreachable' | 'broken' | 'redirect'): ServiceError {
    if (kind === 'redirect') {
      return new ServiceError(
        'UPSTREAM_REDIRECT',
        'The service answered with a redirect, which is never followed.',
        {
          hint: 'Check the root URL: the key goes only to the origin it was stored for.',
        },
      );
    }
    if (kind === 'unreachable') {
      return new ServiceError('UPSTREAM_UNREACHABLE', 'The service cannot be reached.', {
        hint: 'Check the network and the root URL (`countersign doctor`), then try again.',
      });
    }
    if (facts.endpoint.effect === 'write')
      return unknownOutcome(facts, 'The connection broke before the answer was complete.');
    return new ServiceError('UPSTREAM_TRUNCATED', 'The connection broke before the answer was complete.', {
      hint: 'The answer was discarded. Try again.',
    });
  }

  function abortedError(facts: CallFacts, sent: boolean, cancelled: boolean): ServiceError {
    const problem = cancelled ? 'The call was cancelled.' : 'The service timed out after 30 seconds.';
    if (sent && facts.endpoint.effect === 'write') return unknownOutcome(facts, problem);
    return new ServiceError(cancelled ? 'CANCELLED' : 'UPSTREAM_TIMEOUT', problem, { hint: 'Try again.' });
  }

  /** Returns the payload of a complete answer, or throws its error. */
  function judge(name: EndpointName, facts: CallFacts, answer: Exchange & { kind: 'answer' }): unknown {
    const now = clock.now();
    const rate = readRateHeaders(answer.headers, now);
    if (rate !== undefined) lastRate = rate;
    if (answer.status === 429) {
      const { until, wholeAccount } = readRefusal(
        answer.body.ok ? answer.body.value : undefined,
        answer.headers,
        now,
      );
      gate.refuse(name, until, wholeAccount);
      throw rateLimited(until, 'The rate limit is exhausted.', 429);
    }
    const outcome = readOutcome(facts, answer.status, answer.body);
    if (!outcome.ok) {
      if (outcome.error.code === 'UNAUTHORIZED' && facts.keySent) keyState = 'refused';
      throw outcome.error;
    }
    if (facts.keySent && facts.endpoint.keyed === true) keyState = 'accepted';
    const given = facts.endpoint.secretResponse
      ? outcome.payload
      : (options.withoutSecrets?.(outcome.payload) ?? outcome.payload);
    const { response, effect, exact } = facts.endpoint;
    const own = responseFromWire(profile, name, given);
    const isExact = effect === 'build' || exact === true;
    const parsed = isExact ? response.safeParse(own) : parseTolerantly(response, own);
    if (!parsed.success) {
      throw badBody(
        facts,
        `The answer does not match the contract: ${describeIssues(parsed.error.issues, 3)}.`,
        undefined,
        answer.status,
      );
    }
    return parsed.data;
  }

  async function attempts(
    name: EndpointName,
    facts: CallFacts,
    outgoing: Outgoing,
    signal: AbortSignal,
    callOptions: CallOptions,
  ): Promise<unknown> {
    const tries = facts.endpoint.retry === 'safe' ? MAX_TRIES : 1;
    const cancelled = () => callOptions.signal?.aborted === true;
    for (let attempt = 1; ; attempt++) {
      if (facts.endpoint.outsideBudget !== true) {
        const grant = await budget.take(1, callOptions.purpose ?? 'call');
        if (!grant.granted) throw rateLimited(grant.retryAt, 'The request budget of this hour is exhausted.');
      }
      const result = await exchange(fetch, outgoing, signal);
      const last = attempt >= tries;
      if (result.kind === 'answer') {
        const failing = result.status >= 500;
        if (!failing || last) {
          if (failing) breaker.failed();
          else breaker.succeeded();
          return judge(name, facts, result);
        }
      } else if (result.kind === 'aborted') {
        if (!cancelled()) breaker.failed();
        throw abortedError(facts, true, cancelled());
      } else if (last || result.kind === 'redirect') {
        breaker.failed();
        throw transportError(facts, result.kind);
      }
      try {
        await clock.sleep(PAUSES_MS[attempt - 1] ?? PAUSES_MS[1], signal);
      } catch {
        if (!cancelled()) breaker.failed();
        throw abortedError(facts, false, cancelled());
      }
    }
  }

  return {
    origin,
    profile,
    rate: () => lastRate,
    keyState: () => keyState,
    async call<N extends EndpointName>(name: N, request: EndpointRequest<N>, callOptions: CallOptions = {}) {
      const endpoint = endpointOf(name);
      const fields = await prepare(name, request);
      guard(name);
      const key = await keyFor(name);
      const secrets = (endpoint.secretRequest ?? []).map((field) => String(fields[field] ?? ''));
      const facts: CallFacts = {
        endpoint,
        keySent: key !== undefined,
        secrets: key === undefined ? secrets : [...secrets, key],
        notFound: profile.notFound[name],
      };
      if (callOptions.signal?.aborted) throw abortedError(facts, false, true);
      const outgoing: Outgoing = {
        method: endpoint.method,
        url: `${origin}${pathOf(profile, name, fields)}`,
        send: sendKind(profile, name),
        fields: requestToWire(profile, name, fields),
        apiKey: key,
      };
      const limits = { clock, ms: DEADLINE_MS, signal: callOptions.signal };
      const answer = await withDeadline(limits, (signal) =>
        attempts(name, facts, outgoing, signal, callOptions),
      );
      // Parsed by the endpoint's own schema.
      return answer as EndpointResponse<N>;
    },
  };
}
