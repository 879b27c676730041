/**
 * Errors of answers that are not valid plans. An answer is refused as a whole, never in part.
 */

/** What kind of fault an error reports; the same classes every error of this project uses. */
export type ErrorClass = 'input' | 'policy' | 'security' | 'availability' | 'upstream';

/** An answer that is not a plan that may be signed. The message holds no untrusted text. */
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
        ? 'Nothing was stored or signed. Ask for the plan again; if it happens again, do not use this service.'
        : 'Nothing was stored or signed. The service answered something this version does not understand.';
  }
}
