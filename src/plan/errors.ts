/**
 * Errors of invalid plans. An invalid answer is refused as a whole.
 */

/** Class of an error, shared by all errors of this project. */
export type ErrorClass = 'input' | 'policy' | 'security' | 'availability' | 'upstream';

/** An answer that is not a valid plan. The message contains no untrusted text. */
export class PlanError extends Error {
  readonly code = 'PLAN_INVALID';
  readonly hint: string;
  readonly retryable = false;
  readonly class: ErrorClass;

  constructor(message: string, errorClass: 'security' | 'upstream' = 'security') {
    super(message);
    this.name = 'PlanError';
    this.class = errorClass;
    this.hint =
      errorClass === 'security'
        ? 'Nothing was stored or signed. Request the plan again; if this happens again, do not use this service.'
        : 'Nothing was stored or signed. This version does not support the answer of the service.';
  }
}
