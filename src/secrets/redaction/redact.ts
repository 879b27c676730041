// The redactor: the last step before a text or value leaves the process (results, errors, logs, files). Removes
// registered values in every common encoding, and unregistered secrets by pattern. Text must be redacted before it is
// shortened: values cut below 16 characters are not recognized.

import { Secret } from '../secret.ts';
import { findByteRuns } from './byteRuns.ts';
import { byteForms, textForms } from './encodings.ts';
import { looksLikeKeyBytes, REDACTED, redactPatterns, SECRET_FIELD } from './patterns.ts';
import { secretPartsOfUrl } from './urlSecrets.ts';
import { replaceSpans, SHORTEST_VALUE, ValueMatcher } from './valueMatcher.ts';

export interface Redactor {
  /**
   * Registers a value for redaction in plain form and as base64, base64url, base58, hex, URL-, JSON- and HTML-escaped
   * text and as numbers. For a 64-byte wallet key the seed half is registered too. Stores only digests. Returns false
   * for a value under six characters, which would match ordinary text.
   */
  register(value: Secret | string | Uint8Array): boolean;
  /** Registers userinfo, query values and long path parts of a configured URL. Ignores text that is not a URL. */
  registerUrl(url: string): void;
  redact(text: string): string;
  /**
   * Redacts a JSON value: texts, field names, byte arrays, and values of fields such as `x-api-key`. Parts without
   * secrets are returned as the same object, without copies.
   */
  redactValue(value: unknown): unknown;
  /**
   * Removes registered values only, for stored data, in which text that merely looks like a secret must stay. Parts
   * without secrets are returned as the same object.
   */
  withoutRegistered(value: unknown): unknown;
}

const DEEPEST = 200;
const NAMES_KEPT = 500;

/** Returns an object with replaced names and members, or the same object if nothing changes. */
function withEntries(
  value: object,
  nameOf: (name: string) => string,
  itemOf: (name: string, item: unknown) => unknown,
): object {
  const entries: [string, unknown][] = Object.entries(value);
  let different = false;
  for (const entry of entries) {
    const [name, item] = entry;
    entry[0] = nameOf(name);
    entry[1] = itemOf(name, item);
    different ||= entry[0] !== name || entry[1] !== item;
  }
  return different ? Object.fromEntries(entries) : value;
}

function useAndWipe<Result>(units: Uint16Array, use: (units: Uint16Array) => Result): Result {
  try {
    return use(units);
  } finally {
    units.fill(0);
  }
}

/** Returns the bytes of an array, typed array or index-keyed object with at least six byte values. */
function byteText(value: object): string | undefined {
  const items = ArrayBuffer.isView(value)
    ? new Uint8Array(value.buffer, value.byteOffset, value.byteLength)
    : Object.values(value);
  if (items.length < SHORTEST_VALUE) return undefined;
  let text = '';
  for (const item of items) {
    if (typeof item !== 'number' || item < 0 || item > 255 || !Number.isInteger(item)) return undefined;
    text += String.fromCharCode(item);
  }
  return text;
}

/** Creates a redactor without registered values; patterns are active. */
export function createRedactor(): Redactor {
  const texts = new ValueMatcher();
  const bytes = new ValueMatcher();

  /** Cache of field names without secrets: rows of a result repeat the same names. */
  const cleanNames = new Set<string>();

  const registerBytes = (value: Uint8Array): boolean => {
    cleanNames.clear();
    for (const form of byteForms(value)) {
      useAndWipe(form.units, (units) => texts.add(units, form.spaced));
    }
    return useAndWipe(Uint16Array.from(value), (units) => bytes.add(units));
  };

  const registerText = (value: string): boolean => {
    cleanNames.clear();
    const usable = value.length >= SHORTEST_VALUE;
    if (!usable) return false;
    for (const form of textForms(value)) texts.add(form.units, form.spaced);
    registerBytes(new TextEncoder().encode(value));
    return true;
  };

  const register = (value: Secret | string | Uint8Array): boolean => {
    if (typeof value === 'string') return registerText(value);
    if (value instanceof Secret && value.kind === 'text') return registerText(value.expose());
    const raw = value instanceof Secret ? value.exposeBytes() : value;
    if (raw.length === 64) registerBytes(raw.subarray(0, 32));
    return registerBytes(raw);
  };

  const hideRegistered = (text: string): string =>
    replaceSpans(text, [...texts.find(text), ...findByteRuns(text, bytes)], REDACTED);

  const redact = (text: string): string => redactPatterns(hideRegistered(text));

  const withoutRegistered = (value: unknown): unknown => {
    if (typeof value === 'string') return hideRegistered(value);
    if (typeof value !== 'object' || value === null) return value;
    const content = byteText(value);
    if (content !== undefined && bytes.find(content).length > 0) return REDACTED;
    if (Array.isArray(value)) {
      const clean = value.map(withoutRegistered);
      return clean.some((item, index) => item !== value[index]) ? clean : value;
    }
    return withEntries(value, hideRegistered, (_, item) => withoutRegistered(item));
  };

  const isKey = (value: object): boolean => {
    const content = byteText(value);
    if (content === undefined) return false;
    const values = Array.from(content, (character) => character.charCodeAt(0));
    return looksLikeKeyBytes(values) || bytes.find(content).length > 0;
  };

  const cleanName = (name: string): string => {
    if (cleanNames.has(name)) return name;
    const clean = redact(name);
    if (clean === name && cleanNames.size < NAMES_KEPT) cleanNames.add(name);
    return clean;
  };

  const walkEntries = (value: object, above: readonly object[]): unknown =>
    withEntries(value, cleanName, (name, item) => {
      const hasContent = item !== null && item !== undefined && typeof item !== 'boolean';
      return hasContent && SECRET_FIELD.test(name) ? REDACTED : walk(item, above);
    });

  const walk = (value: unknown, above: readonly object[]): unknown => {
    if (typeof value === 'string') return redact(value);
    if (typeof value !== 'object' || value === null) return value;
    if (value instanceof Secret) return value.toJSON();
    if (above.includes(value)) return '[circular]';
    if (above.length > DEEPEST) return '[too deep]';
    const path = [...above, value];
    if (isKey(value)) return REDACTED;
    if (ArrayBuffer.isView(value)) return value;
    if (Array.isArray(value)) {
      const clean = value.map((item) => walk(item, path));
      return clean.some((item, index) => item !== value[index]) ? clean : value;
    }
    if (value instanceof Error) {
      const shown = { name: value.name, message: value.message, stack: value.stack, cause: value.cause };
      return walkEntries({ ...value, ...shown }, path);
    }
    if ('toJSON' in value && typeof value.toJSON === 'function') return walk(value.toJSON(), path);
    return walkEntries(value, path);
  };

  return {
    register,
    registerUrl(url) {
      if (!URL.canParse(url)) return;
      for (const part of secretPartsOfUrl(url)) registerText(part);
    },
    redact,
    redactValue: (value) => walk(value, []),
    withoutRegistered,
  };
}
