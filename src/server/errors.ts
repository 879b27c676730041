/**
 * Converts errors to tool errors. Errors of this project have a code, a hint and a class and pass through; all others
 * become `INTERNAL_ERROR` without their text, which may contain secrets.
 */
import { ZodError } from 'zod';
import { describeIssues } from '../contract/index.ts';

export const ERROR_CLASSES = ['input', 'policy', 'security', 'availability', 'upstream'] as const;
export type ErrorClass = (typeof ERROR_CLASSES)[number];

/** An error in a result. */
export interface ToolError {
  readonly code: string;
  readonly message: string;
  /** The next step. */
  readonly hint: string;
  /** Whether the same call may be repeated later. */
  readonly retryable: boolean;
  readonly class: ErrorClass;
}

const field = (error: object, name: string): unknown =>
  name in error ? Reflect.get(error, name) : undefined;

const isClass = (value: unknown): value is ErrorClass => ERROR_CLASSES.some((known) => known === value);

/** Returns whether a code is this project's: upper case, not the system's (`ENOENT`) or Node's (`ERR_…`). */
const isCode = (value: unknown): value is string =>
  typeof value === 'string' &&
  /^[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$/.test(value) &&
  !/^(E[A-Z0-9]+|ERR_.*)$/.test(value);

const CANCELLED: ToolError = {
  code: 'CANCELLED',
  message: 'The call was cancelled.',
  hint: 'Signed work continues; see get_plan.',
  retryable: true,
  class: 'availability',
};

/** Returns the tool error of an error, without a stack and without text of foreign errors. */
export function toToolError(error: unknown): ToolError {
  if (error instanceof ZodError) {
    return {
      code: 'INVALID_INPUT',
      message: `The input is not valid: ${describeIssues(error.issues)}.`,
      hint: 'Correct the named fields; nothing was sent.',
      retryable: false,
      class: 'input',
    };
  }
  if (!(error instanceof Error)) return INTERNAL;
  if (error.name === 'AbortError') return CANCELLED;
  const code = field(error, 'code');
  if (!isCode(code)) return INTERNAL;
  const hint = field(error, 'hint');
  const errorClass = field(error, 'class');
  return {
    code,
    message: error.message,
    hint:
      typeof hint === 'string' ? hint : 'Nothing was signed because of this. Read get_status or get_plan.',
    retryable: field(error, 'retryable') === true,
    // Codes of transaction decoding errors are the policy's reason codes: refusals.
    class: isClass(errorClass) ? errorClass : error.name === 'TransactionError' ? 'security' : 'availability',
  };
}

const INTERNAL: ToolError = {
  code: 'INTERNAL_ERROR',
  message: 'Internal error in Countersign.',
  hint: 'See its standard error output. If a plan was being submitted, get_plan shows its state.',
  retryable: false,
  class: 'availability',
};
