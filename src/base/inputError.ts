/** Arguments a tool cannot be called with, seen from their shape or found when the tool looked: nothing was sent. */
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
