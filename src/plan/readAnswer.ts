/**
 * Accessors for answers in the signing path. Unknown extra fields are accepted; a missing or invalid part refuses the whole
 * plan (F13, F22).
 */

/** Fields with transaction strings, in all answers of the contract. */
const TRANSACTION_FIELDS: readonly string[] = ['transaction', 'swapTransaction', 'tx'];

export type Fields = Readonly<Record<string, unknown>>;

/** Returns a copy of a JSON object. Throws `PlanError`, naming the part, for any other value. */
export function object(value: unknown, part: string): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new PlanError(`The answer has no ${part}.`, 'upstream');
  }
  return Object.fromEntries(Object.entries(value));
}

export function list(value: unknown, part: string): readonly unknown[] {
  if (!Array.isArray(value)) throw new PlanError(`The answer has no ${part}.`, 'upstream');
  return value;
}

export function text(value: unknown, part: string): string {
  if (typeof value !== 'string' || value === '') {
    throw new PlanError(`The answer has no ${part}.`, 'upstream');
  }
  return value;
}

/** Validates a stage id: short, printable, without spaces, because ids are used in results and file names. */
export function stageId(value: unknown): string {
  if (typeof value !== 'string' || !/^[A-Za-z0-9][A-Za-z0-9._:-]{0,63}$/.test(value)) {
    throw new PlanError('A stage of the plan has an invalid id.');
  }
  return value;
}

/** Throws `PlanError` unless `contractVersion` is 1 (B68). */
export function contractVersionOne(answer: Fields): void {
  if (answer.contractVersion !== 1) throw new PlanError('The answer has an unknown contract version.');
}

/** Returns the answer without transaction strings, at any depth. */
export function withoutTransactions(answer: Fields): Fields {
  return Object.fromEntries(
    Object.entries(answer)
      .filter(([name]) => !TRANSACTION_FIELDS.includes(name))
      .map(([name, value]) => [name, stripped(value)]),
  );
}

function stripped(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(stripped);
  if (typeof value !== 'object' || value === null) return value;
  return withoutTransactions(object(value, 'part'));
}

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
