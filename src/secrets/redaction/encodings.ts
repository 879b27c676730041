// Encodings of a secret the redactor searches for. Binary forms are arrays of character codes that the caller zeroes,
// never strings, so that registering a wallet key leaves no readable copy.

import { inspect } from 'node:util';

const HEX_LOWER = '0123456789abcdef';
const HEX_UPPER = '0123456789ABCDEF';
const BASE58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const BASE64_URL = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

const codeOf = (alphabet: string, index: number) => alphabet.charCodeAt(index);

/** One encoding of a secret, as UTF-16 code units. `spaced`: contains spaces. */
export interface EncodedForm {
  units: Uint16Array;
  spaced?: boolean;
}

function hex(bytes: Uint8Array, digits: string, before: string, between: string): Uint16Array {
  const width = before.length + 2 + between.length;
  const out = new Uint16Array(Math.max(0, bytes.length * width - between.length));
  bytes.forEach((value, index) => {
    const at = index * width;
    for (let i = 0; i < before.length; i++) out[at + i] = before.charCodeAt(i);
    out[at + before.length] = codeOf(digits, value >> 4);
    out[at + before.length + 1] = codeOf(digits, value & 15);
    if (index === bytes.length - 1) return;
    for (let i = 0; i < between.length; i++) out[at + before.length + 2 + i] = between.charCodeAt(i);
  });
  return out;
}

/**
 * Returns the base64 of `bytes` after `shift` (0, 1 or 2) unknown bytes: only the characters that depend on the
 * secret alone. With `whole`, also the last, partly filled character.
 */
function base64(bytes: Uint8Array, alphabet: string, shift: number, whole: boolean): Uint16Array {
  const first = shift === 0 ? 0 : shift + 1;
  const bits = (shift + bytes.length) * 8;
  const end = whole ? Math.ceil(bits / 6) : Math.floor(bits / 6);
  const out = new Uint16Array(Math.max(0, end - first));
  for (let index = first; index < end; index++) {
    const bit = index * 6 - shift * 8;
    const high = bytes[bit >> 3] ?? 0;
    const low = bytes[(bit >> 3) + 1] ?? 0;
    out[index - first] = codeOf(alphabet, (((high << 8) | low) >> (10 - (bit & 7))) & 63);
  }
  return out;
}

function base58(bytes: Uint8Array): Uint16Array {
  const digits = new Uint8Array(new ArrayBuffer(Math.ceil(bytes.length * 1.38) + 1));
  let used = 0;
  for (const value of bytes) {
    let carry = value;
    for (let i = 0; i < used || carry > 0; i++) {
      carry += (digits[i] ?? 0) * 256;
      digits[i] = carry % 58;
      carry = Math.floor(carry / 58);
      if (i >= used) used = i + 1;
    }
  }
  let zeros = 0;
  while (zeros < bytes.length && bytes[zeros] === 0) zeros++;
  const out = new Uint16Array(zeros + used).fill(codeOf(BASE58, 0), 0, zeros);
  for (let i = 0; i < used; i++) out[zeros + i] = codeOf(BASE58, digits[used - 1 - i] ?? 0);
  digits.fill(0);
  return out;
}

/**
 * Returns hex (plain, spaced as Node prints a buffer, with colons, percent), base64 at every alignment, and base58.
 */
export function byteForms(bytes: Uint8Array): EncodedForm[] {
  const forms: EncodedForm[] = [{ units: base58(bytes) }];
  for (const digits of [HEX_LOWER, HEX_UPPER]) {
    forms.push({ units: hex(bytes, digits, '', '') });
    forms.push({ units: hex(bytes, digits, '', ' '), spaced: true });
    forms.push({ units: hex(bytes, digits, '', ':') });
    forms.push({ units: hex(bytes, digits, '%', '') });
    forms.push({ units: hex(bytes, digits, '\\x', '') });
    forms.push({ units: hex(bytes, digits, '0x', ', '), spaced: true });
    forms.push({ units: hex(bytes, digits, '0x', ',') });
  }
  for (const alphabet of [BASE64, BASE64_URL]) {
    forms.push({ units: base64(bytes, alphabet, 0, true) });
    for (const shift of [0, 1, 2]) forms.push({ units: base64(bytes, alphabet, shift, false) });
  }
  return forms;
}

const lowerPercent = (text: string) => text.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase());
const jsonInner = (text: string) => JSON.stringify(text).slice(1, -1);
const asciiJson = (text: string) =>
  jsonInner(text).replace(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
const html = (text: string) =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');

function userinfo(text: string): string {
  const url = new URL('https://host');
  url.password = text;
  return url.password;
}

/**
 * Returns the escaped forms of a text: JSON (once, twice, ASCII only), URL (component, form, userinfo), HTML,
 * inspect.
 */
export function textForms(text: string): EncodedForm[] {
  // An unpaired surrogate cannot be percent-encoded; UTF-8 replaces it.
  const wellFormed = Buffer.from(text, 'utf8').toString('utf8');
  const percent = [
    encodeURIComponent(wellFormed),
    encodeURI(wellFormed),
    new URLSearchParams({ v: text }).toString().slice(2),
    userinfo(text),
  ];
  const all = new Set([
    text,
    jsonInner(text),
    jsonInner(jsonInner(text)),
    asciiJson(text),
    html(text),
    inspect(text, { breakLength: Number.POSITIVE_INFINITY }).slice(1, -1),
    ...percent,
    ...percent.map(lowerPercent),
  ]);
  return [...all].map((form) => ({
    units: Uint16Array.from({ length: form.length }, (_, i) => form.charCodeAt(i)),
    spaced: form.includes(' '),
  }));
}
