/**
 * Errors of service calls, with stable codes. Messages are the project's own; the service's text appears only in
 * `upstreamText`, cleaned, capped and quoted. No error contains a secret.
 */

/** Who can act on an error. */
export type ErrorClass = 'input' | 'policy' | 'security' | 'availability' | 'upstream';

/** Error codes with their class and whether the same call may be repeated later. */
const CODES = {
  /** The request violates the contract; nothing was sent. */
  INVALID_INPUT: ['input', false],
  /** The service refused the request (400, 409, 422, or 200 with `success: false`). */
  REQUEST_REFUSED: ['input', false],
  /** No saved configuration for this quote mint and config type (C-ERR-05). */
  QUOTE_NOT_REVIEWED: ['input', false],
  NOTHING_TO_CLAIM: ['input', false],
  KEY_LIMIT_REACHED: ['input', false],
  /** The wallet does not manage the config (C-UPDATE-02). */
  NOT_ADMIN: ['input', false],
  NOT_FOUND: ['input', false],
  /** This deployment does not have the endpoint. */
  ENDPOINT_UNAVAILABLE: ['input', false],
  /** No API key, or one the service does not accept (F05). */
  UNAUTHORIZED: ['input', false],
  FORBIDDEN: ['input', false],
  /** The key belongs to another origin or is not valid in a header; it was not sent. */
  KEY_REFUSED: ['security', false],
  /** The service redirected the call (F12). */
  UPSTREAM_REDIRECT: ['security', false],
  RATE_LIMITED: ['availability', true],
  UPSTREAM_UNREACHABLE: ['availability', true],
  UPSTREAM_TRUNCATED: ['availability', true],
  UPSTREAM_TIMEOUT: ['availability', true],
  /** Several calls failed in a row; further ones are not sent for a few seconds. */
  CIRCUIT_OPEN: ['availability', true],
  UPSTREAM_ERROR: ['upstream', true],
  /** The answer is not JSON of the expected shape, or too large (F10, F11, F14). */
  UPSTREAM_BAD_BODY: ['upstream', false],
  /** A write may have happened; repeating could do it twice (F15, F17). */
  OUTCOME_UNKNOWN: ['upstream', false],
  CANCELLED: ['availability', true],
} as const satisfies Record<string, readonly [ErrorClass, boolean]>;

export type ServiceErrorCode = keyof typeof CODES;

export interface ServiceErrorDetails {
  /** The next step. */
  readonly hint: string;
  /** HTTP status, if there was an answer. */
  readonly status?: number;
  /** The service's message, cleaned and at most 200 characters: data, not instructions. */
  readonly upstreamText?: string;
  /** Milliseconds since the epoch before which a retry is pointless. */
  readonly retryAt?: number;
  readonly retryable?: boolean;
}

/** An error of a service call. `hint` gives the next step. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  readonly code: ServiceErrorCode;
  readonly class: ErrorClass;
  readonly hint: string;
  readonly retryable: boolean;
  readonly status: number | undefined;
  readonly upstreamText: string | undefined;
  readonly retryAt: number | undefined;

  constructor(code: ServiceErrorCode, message: string, details: ServiceErrorDetails) {
    super(details.upstreamText ? `${message} The service says: "${details.upstreamText}"` : message);
    const [errorClass, retryable] = CODES[code];
    this.code = code;
    this.class = errorClass;
    this.hint = details.hint;
    this.retryable = details.retryable ?? retryable;
    this.status = details.status;
    this.upstreamText = details.upstreamText;
    this.retryAt = details.retryAt;
  }
}
