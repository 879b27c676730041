/**
 * The error of the transaction decoder. Its codes are reason codes of the policy.
 */
export type ReasonLike =
  | 'NONCANONICAL_BYTES'
  | 'FORMAT_MISMATCH'
  | 'LOOKUP_TABLE_UNRESOLVED'
  | 'COSIGNATURE_INVALID'
  | 'SIGNERS_MISMATCH'
  | 'REPLAY';

/**
 * Reports a refused transaction or an unsigned slot. The message contains no untrusted text.
 */
export class TransactionError extends Error {
  readonly code: ReasonLike;

  constructor(code: ReasonLike, message: string) {
    super(message);
    this.name = 'TransactionError';
    this.code = code;
  }
}

/** Creates an error for malformed or non-canonical bytes. */
export const noncanonical = (message: string) => new TransactionError('NONCANONICAL_BYTES', message);
