/** What files of both versions of an export of decisions have in common: how a line is read, and which rows are shown. */
import { isRecord } from '../../base/record.ts';

/** Whose decisions of which period are shown. Times are milliseconds since the epoch. */
export interface ExportOf {
  /** Decisions from this time on, and before that one; `null`: no bound. */
  readonly from: number | null;
  readonly until: number | null;
  /** Whose decisions are shown; `null`: all. */
  readonly principal: string | null;
}

/** What was found out about the rows of a file: how many there are, how many are shown, and which they are, in words. */
export interface RowsFound {
  readonly rows: number;
  readonly shown: number;
  readonly words: string;
}

/** The period and principal that a head names; `undefined` where it names none. */
export function readExportOf(value: Readonly<Record<string, unknown>>): ExportOf | undefined {
  const { from, until, principal } = value;
  const bound = (time: unknown): time is number | null => time === null || isCount(time);
  const named = (name: unknown): name is string | null => name === null || typeof name === 'string';
  return bound(from) && bound(until) && named(principal) ? { from, until, principal } : undefined;
}

/** Whether what a row says is of the period and, if it is a decision, of the principal. */
export function isOf({ from, until, principal }: ExportOf, said: Readonly<Record<string, unknown>>): boolean {
  const { time } = said;
  if (typeof time !== 'number') return false;
  if (from !== null && time < from) return false;
  if (until !== null && time >= until) return false;
  return principal === null || said.principal === principal;
}

/** A line as an object; `undefined` where it is none. */
export function readLine(line: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

export const isHash = (value: unknown): value is string =>
  typeof value === 'string' && /^[0-9a-f]{64}$/.test(value);
export const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;
