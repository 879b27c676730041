// Finds registered values in a text without storing them: each value is a rolling fingerprint of its first characters
// plus keyed digests. One pass over the text for any number of values; a memory dump of the redactor reveals no
// secret.

import { createHmac, randomBytes, randomInt } from 'node:crypto';

/** Half-open range of UTF-16 positions. */
export type Span = readonly [start: number, end: number];

/** Minimum length of a value; shorter ones would match ordinary text. */
export const SHORTEST_VALUE = 6;

const WINDOW = SHORTEST_VALUE;
const HEAD = 16;
const FILTER_SIZE = 1 << 14;
const TOKEN = /[A-Za-z0-9+/=_%:.~-]/;
const TOKEN_OR_SPACE = /[A-Za-z0-9+/=_%:.~\- ,]/;

interface Entry {
  length: number;
  headLength: number;
  headHash: number;
  headDigest: string;
  digest: string;
  continues: RegExp;
}

export class ValueMatcher {
  readonly #key = randomBytes(32);
  readonly #base = randomInt(1 << 20, 2 ** 31) | 1;
  readonly #filter = new Uint8Array(FILTER_SIZE);
  readonly #entries = new Map<number, Entry[]>();

  get empty(): boolean {
    return this.#entries.size === 0;
  }

  /** Registers a value given as UTF-16 code units; returns false if it is too short. */
  add(units: Uint16Array, spaced = false): boolean {
    if (units.length < WINDOW) return false;
    const at = (index: number) => units[index] ?? 0;
    const headLength = Math.min(HEAD, units.length);
    const entry: Entry = {
      length: units.length,
      headLength,
      headHash: this.#hash(at, 0, headLength),
      headDigest: this.#digest(units.subarray(0, headLength)),
      digest: this.#digest(units),
      continues: spaced ? TOKEN_OR_SPACE : TOKEN,
    };
    const print = this.#hash(at, 0, WINDOW);
    const known = this.#entries.get(print) ?? [];
    if (known.some((other) => other.digest === entry.digest)) return true;
    this.#entries.set(print, [...known, entry]);
    this.#filter[print & (FILTER_SIZE - 1)] = 1;
    return true;
  }

  /**
   * Returns every occurrence. A truncated occurrence is found if at least its first 16 characters are present, and
   * extends over the characters that could belong to it.
   */
  find(text: string): Span[] {
    const spans: Span[] = [];
    if (this.empty || text.length < WINDOW) return spans;
    const at = (index: number) => text.charCodeAt(index);
    let leaving = 1;
    for (let i = 0; i < WINDOW; i++) leaving = Math.imul(leaving, this.#base);
    let print = this.#hash(at, 0, WINDOW);
    for (let start = 0; ; start++) {
      if (this.#filter[print & (FILTER_SIZE - 1)] === 1) {
        for (const entry of this.#entries.get(print) ?? []) {
          const span = this.#match(text, at, start, entry);
          if (span !== undefined) spans.push(span);
        }
      }
      const next = start + WINDOW;
      if (next >= text.length) return spans;
      print = (Math.imul(print, this.#base) + at(next) - Math.imul(at(start), leaving)) | 0;
    }
  }

  #match(text: string, at: (index: number) => number, start: number, entry: Entry): Span | undefined {
    if (start + entry.headLength > text.length) return undefined;
    if (this.#hash(at, start, entry.headLength) !== entry.headHash) return undefined;
    const end = start + entry.length;
    if (end <= text.length && this.#digestText(text.slice(start, end)) === entry.digest) return [start, end];
    if (entry.headLength < HEAD) return undefined;
    let reach = start + HEAD;
    if (this.#digestText(text.slice(start, reach)) !== entry.headDigest) return undefined;
    while (reach < end && reach < text.length && entry.continues.test(text.charAt(reach))) reach++;
    return [start, reach];
  }

  #hash(at: (index: number) => number, start: number, length: number): number {
    let hash = 0;
    for (let i = 0; i < length; i++) hash = (Math.imul(hash, this.#base) + at(start + i)) | 0;
    return hash;
  }

  #digest(units: Uint16Array): string {
    const bytes = new Uint8Array(units.buffer, units.byteOffset, units.byteLength);
    return createHmac('sha256', this.#key).update(bytes).digest('base64');
  }

  #digestText(text: string): string {
    return createHmac('sha256', this.#key).update(Buffer.from(text, 'utf16le')).digest('base64');
  }
}

/** Replaces the union of the spans by `mask`, once per connected range. */
export function replaceSpans(text: string, spans: readonly Span[], mask: string): string {
  if (spans.length === 0) return text;
  const sorted = [...spans].sort((a, b) => a[0] - b[0]);
  let out = '';
  let copied = 0;
  let current: [number, number] | undefined;
  const flush = () => {
    if (current === undefined) return;
    out += text.slice(copied, current[0]) + mask;
    copied = current[1];
  };
  for (const [start, end] of sorted) {
    if (current !== undefined && start <= current[1]) {
      current[1] = Math.max(current[1], end);
      continue;
    }
    flush();
    current = [start, end];
  }
  flush();
  return out + text.slice(copied);
}
