/** An argument that a tool finds out to be wrong only when it has looked: nothing was sent to the service. */
export class RefusedInput extends Error {
  readonly code = 'INVALID_INPUT';
  readonly class = 'input';
  readonly retryable = false;
  readonly hint: string;

  constructor(message: string, hint: string) {
    super(message);
    this.name = 'RefusedInput';
    this.hint = hint;
  }
}
