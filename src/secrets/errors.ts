// The error type of this folder. A message never contains a secret or part of one; the hint names the command or step
// that helps.

export type SecretErrorCode =
  | 'KEYSTORE_UNAVAILABLE'
  | 'KEYSTORE_LOCKED'
  | 'KEYSTORE_CHANGED'
  | 'KEYSTORE_CORRUPT'
  | 'KEYSTORE_BUSY'
  | 'KEYSTORE_NOT_CHOSEN'
  | 'KEYSTORE_MISMATCH'
  | 'KEYSTORE_READ_ONLY'
  | 'KEYSTORE_WRITE_FAILED'
  | 'WRONG_PASSPHRASE'
  | 'PASSPHRASE_BACKOFF'
  | 'WEAK_PASSPHRASE'
  | 'PASSPHRASE_REUSED'
  | 'INSECURE_FILE'
  | 'FILE_MISSING'
  | 'FILE_EXISTS'
  | 'INVALID_KEY'
  | 'INVALID_SECRET'
  | 'INVALID_NAME'
  | 'INVALID_HOME'
  | 'SECRET_WIPED'
  | 'SIGNER_LOCKED'
  | 'PERMIT_MISMATCH'
  | 'SIGNATURE_INVALID'
  | 'CHALLENGE_REFUSED'
  | 'OWNER_KEY_MISSING'
  | 'STATEMENT_INVALID';

/** Error classes of the product: the kind of error, and therefore who must act on it. */
export type SecretErrorClass = 'input' | 'security' | 'availability';

const INPUT: ReadonlySet<SecretErrorCode> = new Set<SecretErrorCode>([
  'KEYSTORE_NOT_CHOSEN',
  'KEYSTORE_MISMATCH',
  'KEYSTORE_READ_ONLY',
  'WRONG_PASSPHRASE',
  'WEAK_PASSPHRASE',
  'PASSPHRASE_REUSED',
  'FILE_MISSING',
  'FILE_EXISTS',
  'INVALID_KEY',
  'INVALID_SECRET',
  'INVALID_NAME',
  'INVALID_HOME',
  'OWNER_KEY_MISSING',
]);

const AVAILABILITY: ReadonlySet<SecretErrorCode> = new Set<SecretErrorCode>([
  'KEYSTORE_UNAVAILABLE',
  'KEYSTORE_LOCKED',
  'KEYSTORE_BUSY',
  'KEYSTORE_WRITE_FAILED',
  'PASSPHRASE_BACKOFF',
  'SECRET_WIPED',
  'SIGNER_LOCKED',
]);

export interface SecretErrorOptions {
  /** Milliseconds after which the same call may be tried again. */
  retryAfterMs?: number;
}

/** The error of every function in this folder. `message` and `hint` are safe to show and to log. */
export class SecretError extends Error {
  readonly code: SecretErrorCode;
  readonly hint: string;
  readonly retryAfterMs: number | undefined;

  constructor(code: SecretErrorCode, message: string, hint: string, options: SecretErrorOptions = {}) {
    super(message);
    this.name = 'SecretError';
    this.code = code;
    this.hint = hint;
    this.retryAfterMs = options.retryAfterMs;
  }

  /** Returns whether the same call can succeed later without any change. */
  get retryable(): boolean {
    return this.code === 'PASSPHRASE_BACKOFF' || this.code === 'KEYSTORE_BUSY';
  }

  get class(): SecretErrorClass {
    if (INPUT.has(this.code)) return 'input';
    return AVAILABILITY.has(this.code) ? 'availability' : 'security';
  }
}

/** Returns the `code` of a Node system error (`ENOENT`), or undefined. */
export function systemCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}
