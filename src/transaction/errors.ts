/**
 * The one error of the transaction reader. Its code is always one of the policy's reason codes, so that
 * a refusal to read bytes becomes a decision without translation.
 */
export type ReasonLike =
  | 'NONCANONICAL_BYTES'
  | 'FORMAT_MISMATCH'
  | 'LOOKUP_TABLE_UNRESOLVED'
  | 'COSIGNATURE_INVALID'
  | 'SIGNERS_MISMATCH'
  | 'REPLAY';

/**
 * Why bytes were not accepted, or why a signature slot was not filled. The message holds no untrusted text.
 */
export class TransactionError extends Error {
  readonly code: ReasonLike;

  constructor(code: ReasonLike, message: string) {
    super(message);
    this.name = 'TransactionError';
    this.code = code;
  }
}

/** Shorthand for the most common refusal: the bytes are not in the one form this reader accepts. */
export const noncanonical = (message: string) => new TransactionError('NONCANONICAL_BYTES', message);
