/**
 * Reads parts of an answer in the signing path. Unknown extra fields are accepted, but every part a plan is
 * made of must be there and valid; otherwise the whole plan is refused (F13, F22).
 */
import { PlanError } from './errors.ts';

/** The fields that hold transaction strings, over all answers of the contract. */
const TRANSACTION_FIELDS: readonly string[] = ['transaction', 'swapTransaction', 'tx'];

export type Fields = Readonly<Record<string, unknown>>;

/** A JSON object, or a refusal that names the part. */
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

/** An id as plans use it: short, printable, without spaces. Ids of the service reach results and file names. */
export function stageId(value: unknown): string {
  if (typeof value !== 'string' || !/^[A-Za-z0-9][A-Za-z0-9._:-]{0,63}$/.test(value)) {
    throw new PlanError('A stage of the plan has no usable id.');
  }
  return value;
}

/** `contractVersion` is 1 or the plan is refused; an absent one is not 1 (B68). */
export function contractVersionOne(answer: Fields): void {
  if (answer.contractVersion !== 1) throw new PlanError('The answer has an unknown contract version.');
}

/** The answer without its transaction strings, wherever the contract puts them. */
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
