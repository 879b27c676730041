/**
 * The service client: one typed `call` per endpoint of the table. It checks the request before anything is sent,
 * keeps to the rate limit without ever sleeping through it, retries only what is safe to repeat, gives every call
 * one deadline, and returns the answer in the contract's names. Rows F01 to F17 of the fault tests.
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

/** One deadline for the whole call: every try, every pause, the body included (F03). */
export const DEADLINE_MS = 30_000;
export const MAX_TRIES = 3;
const PAUSES_MS = [250, 1000] as const;
/** How far ahead of our clock a time may lie before it counts as the future. */
const SKEW_SECONDS = 60;

export interface ServiceClientOptions {
  readonly profile: ServiceProfile;
  /** Origin of the service: https, or http on this machine. */
  readonly rootUrl: string;
  /** The key stored for this origin, if any. Asked anew for every call; the client keeps no copy. */
  readonly apiKey: (origin: string) => Promise<string | undefined>;
  readonly fetch: FetchLike;
  readonly clock: Clock;
  readonly budget: RateBudget;
  /** Takes what was sent in confidence out of an answer that echoes it, before anything reads or keeps it. */
  readonly withoutSecrets?: (answer: unknown) => unknown;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
  /** Reading back what may have happened keeps a reserve of the rate budget. Default `call`. */
  readonly purpose?: BudgetPurpose;
}

/** What the service last made of the key: `refused` after a 401, `accepted` after an answer that needed one. */
export type KeyState = 'unknown' | 'accepted' | 'refused';

export interface ServiceClient {
  /**
   * Calls an endpoint. Rejects with a `ServiceError`; errors of the key provider and the budget pass through.
   * The request is in the contract's names; so is the answer, unknown fields as given, reads with unreadable rows left out.
   */
  call<N extends EndpointName>(
    name: N,
    request: EndpointRequest<N>,
    options?: CallOptions,
  ): Promise<EndpointResponse<N>>;
  /** The rate headers of the last answer that had them. */
  rate(): RateHeaders | undefined;
  keyState(): KeyState;
  /** The origin every call goes to. */
  readonly origin: string;
  readonly profile: ServiceProfile;
}

/** Makes a client. Throws when the root URL is not acceptable; does nothing else until a call. */
export function createServiceClient(options: ServiceClientOptions): ServiceClient {
  const { profile, apiKey, fetch, clock, budget } = options;
  const origin = parseRootUrl(options.rootUrl);
  const gate = createRateGate(clock.now);
  const breaker = createBreaker(clock.now);
  let lastRate: RateHeaders | undefined;
  let keyState: KeyState = 'unknown';

  /** The key for a call, by what the endpoint's row says (C-AUTH-01 … 03). */
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
          hint: 'A person can store one with `countersign login`; create_agent_key makes one from a login JWT.',
        },
      );
    }
    if (!/^[\x21-\x7e]{1,512}$/.test(key)) {
      throw new ServiceError(
        'KEY_REFUSED',
        'The stored API key has characters that no key has; it was not sent.',
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
    // Every request schema of the table is an object.
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

  /** Refuses locally what the service would refuse, or could not answer, anyway. */
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
          hint: 'A person should check the root URL: the key goes only to the origin it was stored for.',
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
      hint: 'Nothing of the answer was used. Try again.',
    });
  }

  function abortedError(facts: CallFacts, sent: boolean, cancelled: boolean): ServiceError {
    const problem = cancelled ? 'The call was cancelled.' : 'The service did not answer within 30 seconds.';
    if (sent && facts.endpoint.effect === 'write') return unknownOutcome(facts, problem);
    return new ServiceError(cancelled ? 'CANCELLED' : 'UPSTREAM_TIMEOUT', problem, { hint: 'Try again.' });
  }

  /** What a complete answer means: its payload, or the error it stands for. */
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
      throw rateLimited(until, 'The rate limit is used up.', 429);
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
        `The answer does not have the agreed shape: ${describeIssues(parsed.error.issues, 3)}.`,
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
        if (!grant.granted) throw rateLimited(grant.retryAt, 'The request budget of this hour is used up.');
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
      // The endpoint's own schema parsed it.
      return answer as EndpointResponse<N>;
    },
  };
}
