/**
 * Text blocks of results. Untrusted text is quoted and escaped for clients that render Markdown; structured results are never
 * built from these lines.
 */

import { isRecord } from '../src/base/record.ts';

/** Returns the heading of a list: `2 plans:`, `1 plan:` or `No plans.` */
export const heading = (count: number, one: string, many = `${one}s`): string =>
  count === 0 ? `No ${many}.` : `${count} ${count === 1 ? one : many}:`;

/** Joins defined lines. */
export const joinLines = (...lines: readonly (string | false | null | undefined)[]): string =>
  lines.filter((line): line is string => typeof line === 'string' && line !== '').join('\n');

/** Control characters of Markdown and HTML. */
const ACTIVE = /[\\`*_[\]()<>!|#~]/g;

/**
 * Quotes untrusted text as data: escapes Markdown and HTML and breaks links, so that clients render no link or image
 * (docs/safety.md T56).
 */
export const quoted = (text: unknown): string =>
  typeof text === 'string'
    ? `"${text
        .replaceAll('"', "'")
        .replace(ACTIVE, '\\$&')
        .replaceAll('://', ': //')
        .replace(/\bwww\./gi, 'www .')}"`
    : '(none)';

/** A single plain token, or a content address, which other tools take unchanged and clients do not link. */
const TOKEN = /^(?:[\w.:+-]{1,128}|ipfs:\/\/[A-Za-z0-9]{46,64})$/;

/** Formats an address, number, flag or word; other text only if it is a single plain token. */
export function plain(value: unknown): string {
  if (value === null || value === undefined) return '-';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (typeof value === 'string') return TOKEN.test(value) ? value : quoted(value);
  return quoted(JSON.stringify(value));
}

/** Formats `name value` pairs of a result without untrusted text: settings, addresses, balances. */
export const own = (row: object): string =>
  joinLines(
    ...Object.entries(row)
      .filter(([, value]) => value !== null && value !== undefined)
      .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`),
  );

/** Formats `name value` pairs of present fields. */
export const facts = (row: object, ...names: readonly string[]): string =>
  names
    .map((name): [string, unknown] => [name, Object.hasOwn(row, name) ? Reflect.get(row, name) : undefined])
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([name, value]) => `${name} ${plain(value)}`)
    .join(' · ');

/** Fields that mark untrusted fields; texts use quotes instead. */
const MARKS: readonly string[] = ['untrusted', 'statedByService'];

/** Formats a row as a line, nested values by path: `kind position · source.authority ADDRESS`. */
export function line(row: object, path = ''): string {
  const parts = Object.entries(row).flatMap(([name, value]): string[] => {
    const at = `${path}${name}`;
    if (value === undefined || (path === '' && MARKS.includes(name))) return [];
    if (Array.isArray(value)) {
      if (value.length === 0) return [];
      if (value.every((each) => !isRecord(each) && !Array.isArray(each)))
        return [`${at} ${value.map(plain).join(', ')}`];
      return value.map((each, index) => {
        const part = `${at}.${index}`;
        return isRecord(each) ? line(each, `${part}.`) : `${part} ${plain(each)}`;
      });
    }
    if (!isRecord(value)) return [`${at} ${value === null ? 'null' : plain(value)}`];
    const inner = line(value, `${at}.`);
    return inner === '' ? [] : [inner];
  });
  return parts.join(' · ');
}

/** Fields with sentences of the server; the service cannot add them to a result (docs/safety.md T70). */
const OWN_SENTENCES: readonly string[] = ['note', 'notes'];

/**
 * Formats a whole result as text: lists by row, other fields in a line. `own`: fields with sentences of the server, which are
 * not quoted.
 */
export function whole(result: object, own = OWN_SENTENCES): string {
  const fields = Object.entries(result).filter(
    ([name, value]) => !MARKS.includes(name) && value !== undefined,
  );
  const isRows = (value: unknown): value is object[] =>
    Array.isArray(value) && value.length > 0 && value.every(isRecord);
  const isOwn = ([name]: readonly [string, unknown]) => own.includes(name);
  const rest = fields.filter(
    (field) => !isOwn(field) && !isRows(field[1]) && !(Array.isArray(field[1]) && field[1].length === 0),
  );
  return joinLines(
    line(Object.fromEntries(rest)),
    ...fields
      .filter(isOwn)
      .flatMap(([, value]) => (Array.isArray(value) ? value.map(String) : [String(value)])),
    ...fields.flatMap(([name, value]) => {
      if (isOwn([name, value])) return [];
      if (Array.isArray(value) && value.length === 0) return [`No ${name}.`];
      return isRows(value) ? [`${name}: ${value.length}`, ...value.map((row) => `- ${line(row)}`)] : [];
    }),
  );
}
