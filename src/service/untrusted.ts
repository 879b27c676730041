/**
 * Sanitizes untrusted text. The service's answers may contain escape sequences, invisible instructions, very long
 * texts and links; this module makes them safe to show and reports removals (threats T56, B55, F56).
 */
import { fieldPath } from '../contract/issues.ts';

/** Maximum code points of a field by kind (docs/safety.md T56). */
export const TEXT_CAPS = { name: 64, symbol: 16, description: 280, text: 256, error: 200 } as const;
export type TextKind = keyof typeof TEXT_CAPS;

/** Maximum length of a link in code units. Longer ones are dropped, since half a link leads elsewhere. */
export const URL_CAP = 512;

/** Terminal escape sequences: CSI, then string sequences (OSC, DCS, …), then two-character escapes. */
const ESCAPES =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to find
  /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]?|(?:\u001b[\]PX^_]|[\u009d\u0090\u0098\u009e\u009f])[^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c)?|\u001b[ -/]*[0-~]?/g;

/** Line breaks, tabs and other separators become one space, so that words stay separate. */
const BREAKS = /[\t\n\v\f\r\u0085\u2028\u2029]+/g;

/** Controls, formats (bidi, zero-width, tags), private use, lone surrogates, and other characters without a glyph. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Default_Ignorable_Code_Point}\u2800\u{FFFE}\u{FFFF}]/gu;

/** Maximum length of input that is processed; the rest counts as cut. */
const INPUT_CAP = 65_536;

export interface CleanText {
  readonly text: string;
  /** Number of code units removed as invisible or as escape sequences. */
  readonly removed: number;
  /** Whether the text exceeded the cap. */
  readonly cut: boolean;
}

/** Cleans untrusted text: no invisible characters, no escape sequences, at most `cap` code points. */
export function cleanText(text: string, cap: number): CleanText {
  const head = text.length > INPUT_CAP ? text.slice(0, INPUT_CAP) : text;
  let removed = 0;
  const drop = (match: string) => {
    removed += match.length;
    return '';
  };
  const visible = head.replace(ESCAPES, drop).replace(BREAKS, ' ').replace(INVISIBLE, drop);
  const points = [...visible];
  const cut = points.length > cap || head.length < text.length;
  return { text: points.length > cap ? points.slice(0, cap).join('') : visible, removed, cut };
}

export type UrlFlag = 'data' | 'too_long' | 'scheme' | 'invisible';

export interface CleanUrl {
  /** The link unchanged, or `null` if dropped. It is text and is never fetched here. */
  readonly url: string | null;
  readonly flag?: UrlFlag;
}

/**
 * Keeps or drops a link as a whole: drops `data:`, script and over-long links, and links with invisible characters.
 */
export function cleanUrl(url: string, cap: number = URL_CAP): CleanUrl {
  const head = url.slice(0, 16).trimStart().toLowerCase();
  if (head.startsWith('data:')) return { url: null, flag: 'data' };
  if (url.length > cap) return { url: null, flag: 'too_long' };
  if (cleanText(url, cap).text !== url || /\s/.test(url)) return { url: null, flag: 'invisible' };
  if (/^[a-z][a-z0-9+.-]*:/i.test(head) && !/^(https?|ipfs|ar):/.test(head))
    return { url: null, flag: 'scheme' };
  return { url };
}

/** Changes of one field. `path` is its position in the answer, such as `[0].name`. */
export interface UntrustedField {
  readonly path: string;
  readonly removed?: number;
  readonly cut?: true;
  readonly dropped?: UrlFlag;
}

export interface CleanAnswer<T> {
  readonly value: T;
  /** Only the changed fields. */
  readonly changed: UntrustedField[];
}

/** Kinds by field name. Other fields are cleaned as `text` unless they are in `KEEP`. */
export type FieldKinds = Readonly<Record<string, TextKind | 'url' | 'time'>>;

/** Names with the same meaning throughout the contract. */
export const FIELD_KINDS: FieldKinds = {
  name: 'name',
  symbol: 'symbol',
  description: 'description',
  username: 'name',
  providerUsername: 'name',
  twitterUsername: 'name',
  bagsUsername: 'name',
  display_name: 'name',
  twitterHandle: 'name',
  firstName: 'name',
  lastName: 'name',
  preferredCompanyNames: 'name',
  image: 'url',
  pfp: 'url',
  avatar_url: 'url',
  uri: 'url',
  metadataURI: 'url',
  website: 'url',
  telegram: 'text',
  twitter: 'text',
  timestamp: 'time',
  createdAt: 'time',
  createdAtTimestamp: 'time',
  migratedAtTimestamp: 'time',
};

/** Numbers above this are milliseconds instead of seconds. */
const MAX_SECONDS = 100_000_000_000;
const MAX_DATE_MS = 8_640_000_000_000_000;

/**
 * Converts ISO text, unix seconds or milliseconds to ISO 8601, in whole seconds if given so; returns other values
 * unchanged.
 */
export function isoTime(value: unknown): unknown {
  const number = typeof value === 'string' && /^\d{1,16}$/.test(value) ? Number(value) : value;
  const ms =
    typeof number === 'number'
      ? number * (number > MAX_SECONDS ? 1 : 1000)
      : typeof value === 'string' && /^\d{4}-\d\d-\d\dT/.test(value)
        ? Date.parse(value)
        : Number.NaN;
  return Math.abs(ms) <= MAX_DATE_MS ? new Date(ms).toISOString().replace('.000Z', 'Z') : value;
}

/**
 * Cleans every string of a read answer by field name and normalizes times. Keys without invisible characters, other
 * numbers and booleans are unchanged. Not for answers with transactions, whose strings must stay byte for byte.
 */
export function cleanAnswer<T>(answer: T, kinds: FieldKinds = FIELD_KINDS): CleanAnswer<T> {
  const changed: UntrustedField[] = [];
  const clean = (given: unknown, kind: TextKind | 'url' | 'time', keys: readonly PropertyKey[]): unknown => {
    const value = kind === 'time' ? isoTime(given) : given;
    if (typeof value === 'string') {
      const path = fieldPath(keys);
      if (kind === 'url') {
        const { url, flag } = cleanUrl(value);
        if (flag !== undefined) changed.push({ path, dropped: flag });
        return url;
      }
      const { text, removed, cut } = cleanText(value, TEXT_CAPS[kind === 'time' ? 'text' : kind]);
      if (removed > 0 || cut) {
        changed.push({ path, ...(removed > 0 ? { removed } : {}), ...(cut ? { cut: true as const } : {}) });
      }
      return text;
    }
    if (Array.isArray(value)) return value.map((element, index) => clean(element, kind, [...keys, index]));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, field]) => {
        const name = cleanText(key, TEXT_CAPS.name).text;
        const inner = Object.hasOwn(kinds, key) ? (kinds[key] ?? 'text') : 'text';
        return [name, clean(field, inner, [...keys, name])];
      }),
    );
  };
  // The shape is preserved: only strings change, and dropped links become null.
  return { value: clean(answer, 'text', []) as T, changed };
}
