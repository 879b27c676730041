/**
 * Turns every error into what a client is told. Errors of this project carry a code, a hint and
 * a class and pass through; everything else becomes `INTERNAL_ERROR` without its text, which may hold anything.
 */
import { ZodError } from 'zod';
import { describeIssues } from '../contract/index.ts';

export const ERROR_CLASSES = ['input', 'policy', 'security', 'availability', 'upstream'] as const;
export type ErrorClass = (typeof ERROR_CLASSES)[number];

/** An error as a result shows it. */
export interface ToolError {
  readonly code: string;
  readonly message: string;
  /** What to do next. */
  readonly hint: string;
  /** Whether the same call may simply be made again later. */
  readonly retryable: boolean;
  readonly class: ErrorClass;
}

const field = (error: object, name: string): unknown =>
  name in error ? Reflect.get(error, name) : undefined;

const isClass = (value: unknown): value is ErrorClass => ERROR_CLASSES.some((known) => known === value);

/** Codes of this project: upper case, and neither the system's (`ENOENT`) nor Node's (`ERR_…`). */
const isCode = (value: unknown): value is string =>
  typeof value === 'string' &&
  /^[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$/.test(value) &&
  !/^(E[A-Z0-9]+|ERR_.*)$/.test(value);

const CANCELLED: ToolError = {
  code: 'CANCELLED',
  message: 'The call was cancelled.',
  hint: 'Work already signed goes on; get_plan shows it.',
  retryable: true,
  class: 'availability',
};

/**
 * What to tell the client about an error. Never includes a stack, and no text of an error this project did not make.
 */
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
    // The transaction reader's errors are the policy's reason codes: refusals of bytes.
    class: isClass(errorClass) ? errorClass : error.name === 'TransactionError' ? 'security' : 'availability',
  };
}

const INTERNAL: ToolError = {
  code: 'INTERNAL_ERROR',
  message: 'Something went wrong inside Countersign.',
  hint: 'Look at its standard error output. If a plan was being submitted, get_plan tells what happened to it.',
  retryable: false,
  class: 'availability',
};
