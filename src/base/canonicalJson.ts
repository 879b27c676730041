/**
 * One text for one value: JSON with sorted keys and no spaces. Digests of requests, plans, facts and decisions
 * are taken over this text, so that equal values have equal digests everywhere.
 */
import { createHash } from 'node:crypto';

/**
 * Canonical JSON text of a value. Absent (`undefined`) members are left out and `toJSON` is asked, as `JSON.stringify` does.
 * Throws a `TypeError` for what JSON cannot say exactly: bigint, NaN, infinities, functions, symbols.
 */
export function canonicalJson(value: unknown): string {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new TypeError('a number that JSON cannot say');
    return JSON.stringify(value);
  }
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item ?? null)).join(',')}]`;
  if (typeof value === 'object') {
    if ('toJSON' in value && typeof value.toJSON === 'function') return canonicalJson(value.toJSON());
    const entries = Object.entries(value).filter(([, member]) => member !== undefined);
    entries.sort(([a], [b]) => (a < b ? -1 : 1));
    return `{${entries.map(([key, member]) => `${JSON.stringify(key)}:${canonicalJson(member)}`).join(',')}}`;
  }
  throw new TypeError(`a ${typeof value} that JSON cannot say`);
}

/** Lower-case hex SHA-256 of a text. */
export const sha256Text = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Lower-case hex SHA-256 of the canonical JSON of a value. */
export const jsonDigest = (value: unknown): string => sha256Text(canonicalJson(value));
