/**
 * Interprets answers: the payload of the envelope, or an error with a stable code. Handles the contract's two error
 * shapes and others that occur (docs/contract.md C-ERR-01 … 06, C-WIRE-02).
 */
import type { Endpoint } from '../contract/endpoint.ts';
import type { BodyProblem, BodyResult } from './body.ts';
import { ServiceError, type ServiceErrorCode } from './errors.ts';
import { cleanText, TEXT_CAPS } from './untrusted.ts';

/** Facts about a call for error messages. */
export interface CallFacts {
  readonly endpoint: Endpoint;
  /** Values that must never appear in an error: the key, the JWT. */
  readonly secrets: readonly string[];
  readonly keySent: boolean;
  /** Meaning of a 404 of this endpoint. */
  readonly notFound: string | undefined;
}

const RECONCILE = 'Find out whether it happened before asking again.';

/** Returns the service's text, cleaned, without secrets, at most 200 characters. */
export function upstreamWords(text: string, secrets: readonly string[]): string {
  let clean = cleanText(text, 4000).text;
  for (const secret of secrets) if (secret.length >= 4) clean = clean.replaceAll(secret, '[secret]');
  clean = clean.replace(/[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}/g, '[secret]');
  return cleanText(clean.trim(), TEXT_CAPS.error).text;
}

/** Returns `error`, otherwise `response`, otherwise `message` of an error body (C-ERR-01, C-ERR-02). */
function errorText(body: BodyResult): string | undefined {
  if (!body.ok || typeof body.value !== 'object' || body.value === null) return undefined;
  for (const field of ['error', 'response', 'message']) {
    const value: unknown = Object.hasOwn(body.value, field) ? Reflect.get(body.value, field) : undefined;
    if (typeof value === 'string' && value.trim() !== '') return value;
    if (typeof value === 'object' && value !== null) return JSON.stringify(value).slice(0, 2000);
  }
  return undefined;
}

const PROBLEMS: Readonly<Record<BodyProblem, string>> = {
  empty: 'The service answered with an empty body.',
  not_json: 'The service did not answer with JSON.',
  too_large: 'The answer is larger than 8 MiB and was discarded.',
  too_deep: 'The answer is nested deeper than 64 levels.',
};

/** Returns the error for an unreadable answer. A write may or may not have happened. */
export function badBody(
  facts: CallFacts,
  problem: string,
  upstreamText?: string,
  status?: number,
): ServiceError {
  const { endpoint } = facts;
  const extra = { ...(upstreamText ? { upstreamText } : {}), ...(status === undefined ? {} : { status }) };
  if (endpoint.effect === 'write') return unknownOutcome(facts, problem, extra);
  return new ServiceError('UPSTREAM_BAD_BODY', problem, {
    hint: 'The answer was discarded. If this persists, the root URL may belong to another service.',
    ...extra,
  });
}

/** Returns the error of a write that was sent but not completely answered (F15, F17). */
export function unknownOutcome(
  facts: CallFacts,
  problem: string,
  extra: { upstreamText?: string; status?: number } = {},
): ServiceError {
  return new ServiceError('OUTCOME_UNKNOWN', `${problem} It is unknown whether the request took effect.`, {
    hint: facts.endpoint.reconcile ?? RECONCILE,
    ...extra,
  });
}

/** Codes of known error texts of the contract or its deployments (B21, B39, B52, C-UPDATE-02). */
const KNOWN_TEXTS: readonly (readonly [RegExp, ServiceErrorCode, string, string])[] = [
  [
    /quote_not_reviewed/i,
    'QUOTE_NOT_REVIEWED',
    'There is no saved configuration for this quote mint and config type.',
    'Choose a pair that list_supported_quote_tokens names; there is no fallback to another type.',
  ],
  [
    /nothing to claim/i,
    'NOTHING_TO_CLAIM',
    'There is nothing to claim.',
    'Read the claimable amounts again later.',
  ],
  [
    /maximum number of api keys/i,
    'KEY_LIMIT_REACHED',
    'The account has reached its maximum number of API keys.',
    'A person must revoke a key on the developer dashboard.',
  ],
  [
    /\b(not|only)\b[^.:;]{0,40}\b(admin|manager)\b/i,
    'NOT_ADMIN',
    'The service says that this wallet is not the admin of the config.',
    'Only the admin can change the claimers: get_launch_creators marks it with isAdmin. The API key is not the cause.',
  ],
];

function refusal(facts: CallFacts, status: number, text: string | undefined): ServiceError {
  const upstreamText = text === undefined ? undefined : upstreamWords(text, facts.secrets);
  const extra = { status, ...(upstreamText ? { upstreamText } : {}) };
  const known = text === undefined ? undefined : KNOWN_TEXTS.find(([pattern]) => pattern.test(text));
  if (known !== undefined && status < 500) {
    const [, code, message, hint] = known;
    return new ServiceError(code, message, { hint, ...extra });
  }
  if (status === 401) {
    return new ServiceError(
      'UNAUTHORIZED',
      facts.keySent
        ? 'The service does not accept the API key.'
        : 'The service requires an API key for this call.',
      {
        hint: 'Do not repeat the call. A person runs `countersign login` for a valid key, then restarts this server.',
        ...extra,
      },
    );
  }
  if (status === 403) {
    return new ServiceError('FORBIDDEN', 'The service does not allow this.', {
      hint: 'The API key lacks the permission, the wallet is not the admin, or the launch belongs to another account.',
      ...extra,
    });
  }
  if (status === 404) {
    return new ServiceError('NOT_FOUND', 'The service did not find this.', {
      hint: facts.notFound ?? facts.endpoint.notFound ?? 'Check the addresses and ids of the request.',
      ...extra,
    });
  }
  if (status >= 500) {
    const write = facts.endpoint.effect === 'write';
    if (write && status !== 500 && status !== 503) {
      return unknownOutcome(facts, `A gateway answered with status ${status}.`, extra);
    }
    return new ServiceError('UPSTREAM_ERROR', `The service failed with status ${status}.`, {
      hint: write ? (facts.endpoint.reconcile ?? RECONCILE) : 'Try again later.',
      retryable: !write,
      ...extra,
    });
  }
  return new ServiceError('REQUEST_REFUSED', 'The service refused the request.', {
    hint: 'Correct the request accordingly, then repeat it.',
    ...extra,
  });
}

export type Outcome =
  | { readonly ok: true; readonly payload: unknown }
  | { readonly ok: false; readonly error: ServiceError };

/** Interprets a complete answer other than 429. */
export function readOutcome(facts: CallFacts, status: number, body: BodyResult): Outcome {
  const fail = (error: ServiceError): Outcome => ({ ok: false, error });
  if (status < 200 || status > 299) return fail(refusal(facts, status, errorText(body)));
  if (!body.ok) {
    const quote = facts.endpoint.secretResponse ? '' : upstreamWords(body.text, facts.secrets);
    return fail(badBody(facts, PROBLEMS[body.problem], quote, status));
  }
  if (facts.endpoint.envelope === 'none') return { ok: true, payload: body.value };
  const { value } = body;
  if (typeof value === 'object' && value !== null && Object.hasOwn(value, 'success')) {
    const success: unknown = Reflect.get(value, 'success');
    if (success === true && Object.hasOwn(value, 'response'))
      return { ok: true, payload: Reflect.get(value, 'response') };
    if (success === false) return fail(refusal(facts, status, errorText(body)));
  }
  return fail(badBody(facts, 'The answer does not have the envelope of the contract.', undefined, status));
}
