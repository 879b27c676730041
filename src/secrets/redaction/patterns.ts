// Recognizes unregistered secrets by their form: tokens in headers, JWTs, age and PEM keys, key files printed as
// arrays, URLs with credentials.

import { redactUrlText } from './urlSecrets.ts';

/** What replaces a secret in a text. */
export const REDACTED = '[redacted]';

const JWT = /\bey[JI][A-Za-z0-9_-]{6,}(?:\.[A-Za-z0-9_-]*){2,4}/g;
const HEADER =
  /\b(x-api-key|api[-_]?key|proxy-authorization|authorization)(\\*["']?\s*[:=]\s*\\*["']?|\\*["']\s*,\s*\\*["'])((?:(?:bearer|basic|digest|token)\s+)?)(?!(?:true|false|null|undefined)\b)([^\s"'\\,;}\]]{4,})/gi;
const BEARER =
  /\b(bearer|basic)(\s+)((?=[A-Za-z._~+/=-]*[0-9])[A-Za-z0-9._~+/=-]{8,}|[A-Za-z0-9._~+/=-]{16,})/gi;
const AGE_KEY = /AGE-SECRET-KEY-(?:PQ-)?1[A-Z0-9]{6,}/gi;
const PEM = /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g;
const KEY_ARRAY = /\[\s*(?:\d{1,3}\s*,\s*){63}\d{1,3}\s*,?\s*\]/g;
const KEY_OBJECT =
  /\{\s*(?:\\*["']?\d{1,2}\\*["']?\s*:\s*\d{1,3}\s*,\s*){63}\\*["']?63\\*["']?\s*:\s*\d{1,3}\s*,?\s*\}/g;
const URL_TEXT = /\b[a-z][a-z0-9+.-]{1,15}:\/\/[^\s"'<>`\\]+/gi;

const HEADER_WORDS = /api[-_]?key|authorization|bearer|basic/i;
const AGE_WORD = /age-secret-key-/i;

/**
 * Returns true for 64 byte values of which at least 40 differ. Of 64 random bytes about 57 differ; a list of 64 small
 * shares or amounts has many repeats.
 */
export function looksLikeKeyBytes(values: readonly number[]): boolean {
  return values.length === 64 && values.every((value) => value <= 255) && new Set(values).size >= 40;
}

const maskKeyNumbers = (all: string, numbers: readonly string[]) =>
  looksLikeKeyBytes(numbers.map(Number)) ? REDACTED : all;

/** Replaces everything in `text` that looks like a secret. A cheap check precedes each pattern. */
export function redactPatterns(text: string): string {
  let out = text;
  if (out.includes('://')) {
    out = out.replace(URL_TEXT, (url) => {
      const tail = /[).,;:!?\]}]+$/.exec(url)?.[0] ?? '';
      return redactUrlText(url.slice(0, url.length - tail.length), REDACTED) + tail;
    });
  }
  if (out.includes('ey')) out = out.replace(JWT, REDACTED);
  if (HEADER_WORDS.test(out)) {
    out = out.replace(HEADER, (all, name: string, between: string, scheme: string, value: string) =>
      value.startsWith(REDACTED.slice(0, -1)) ? all : `${name}${between}${scheme}${REDACTED}`,
    );
    out = out.replace(BEARER, (_, scheme: string, space: string) => scheme + space + REDACTED);
  }
  if (AGE_WORD.test(out)) out = out.replace(AGE_KEY, REDACTED);
  if (out.includes('PRIVATE KEY')) out = out.replace(PEM, REDACTED);
  if (out.includes('[')) out = out.replace(KEY_ARRAY, (all) => maskKeyNumbers(all, all.match(/\d+/g) ?? []));
  if (out.includes('{')) {
    out = out.replace(KEY_OBJECT, (all) =>
      maskKeyNumbers(
        all,
        (all.match(/\d+/g) ?? []).filter((_, index) => index % 2 === 1),
      ),
    );
  }
  return out;
}

/** Names of fields whose text is always a secret. */
export const SECRET_FIELD =
  /^(?:x-api-key|api[-_]?key|authorization|proxy-authorization|cookie|set-cookie|jwt|passphrase|password|private[-_]?key|secret[-_]?key|mnemonic|seed[-_]?phrase)$/i;
