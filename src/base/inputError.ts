/** Error for invalid tool arguments, from the schema or from the tool's own checks. No transaction was sent. */
export class InputError extends Error {
  readonly code = 'INVALID_INPUT';
  readonly class = 'input';
  readonly retryable = false;
  readonly hint: string;

  constructor(message: string, hint: string) {
    super(message);
    this.name = 'InputError';
    this.hint = hint;
  }
}
