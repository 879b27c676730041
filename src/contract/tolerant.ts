/**
 * Reads answers tolerantly (C-WIRE-07): a number and its decimal text are the same, and a row that does not fit is
 * dropped and counted. Answers that lead to a signature are never read this way.
 */
import type { z } from 'zod';
import { isRecord } from '../base/record.ts';

const DECIMAL = /^-?\d+(\.\d+)?$/;

/** Rows dropped from an answer, by the answer they are missing from. */
const dropped = new WeakMap<object, number>();

/** How many rows of an answer could not be read and were left out. */
export const unreadRows = (answer: unknown): number =>
  typeof answer === 'object' && answer !== null ? (dropped.get(answer) ?? 0) : 0;

/** Only exact conversions: a whole number beyond 2^53 has lost digits on its way. */
function isExact(number: number): boolean {
  return Number.isFinite(number) && (!Number.isInteger(number) || Number.isSafeInteger(number));
}

/** `lost` counts dropped rows: the elements of the outermost lists. Everything inside a row must fit. */
function mended(schema: z.core.$ZodType, value: unknown, lost?: { rows: number }): unknown {
  // Every schema is one of this union, which the base type does not tell.
  const { def } = (schema as z.core.$ZodTypes)._zod;
  const fits = (option: z.core.$ZodType, given: unknown) => (option as z.ZodType).safeParse(given).success;
  switch (def.type) {
    case 'optional':
    case 'nullable':
      return value == null ? value : mended(def.innerType, value, lost);
    case 'number':
      return typeof value === 'string' && DECIMAL.test(value) && isExact(Number(value))
        ? Number(value)
        : value;
    case 'string':
      return typeof value === 'number' && isExact(value) && DECIMAL.test(String(value))
        ? String(value)
        : value;
    case 'union': {
      if (fits(schema, value)) return value;
      const option = def.options.find((each) => fits(each, mended(each, value)));
      return option === undefined ? value : mended(option, value, lost);
    }
    case 'array': {
      if (!Array.isArray(value)) return value;
      const { element } = def;
      const rows = value.map((row) => mended(element, row));
      // Where null is an element, positions count: nothing may move up.
      if (lost === undefined || fits(element, null)) return rows;
      const good = rows.filter((row) => fits(element, row));
      lost.rows += rows.length - good.length;
      return good;
    }
    case 'object':
      return isRecord(value)
        ? Object.fromEntries(
            Object.entries(value).map(([name, field]) => {
              const inner = Object.hasOwn(def.shape, name) ? def.shape[name] : undefined;
              return [name, inner === undefined ? field : mended(inner, field, lost)];
            }),
          )
        : value;
    default:
      return value;
  }
}

/** Parses an answer tolerantly; `unreadRows` of the result tells how many rows are missing. */
export function parseTolerantly(schema: z.ZodType, answer: unknown): z.ZodSafeParseResult<unknown> {
  const exact = schema.safeParse(answer);
  if (exact.success) return exact;
  const lost = { rows: 0 };
  const parsed = schema.safeParse(mended(schema, answer, lost));
  if (parsed.success && lost.rows > 0) dropped.set(Object(parsed.data), lost.rows);
  return parsed;
}
