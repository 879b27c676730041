/**
 * Parses answers tolerantly (C-WIRE-07): numbers and their decimal texts are interchangeable, and invalid rows are dropped and
 * counted. Answers that lead to a signature are never parsed this way.
 */
import type { z } from 'zod';
import { isRecord } from '../base/record.ts';

const DECIMAL = /^-?\d+(\.\d+)?$/;

/** Number of dropped rows by answer. */
const dropped = new WeakMap<object, number>();

/** Returns the number of dropped rows of an answer. */
export const unreadRows = (answer: unknown): number =>
  typeof answer === 'object' && answer !== null ? (dropped.get(answer) ?? 0) : 0;

/** Exact conversions only: integers beyond 2^53 have lost digits. */
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
