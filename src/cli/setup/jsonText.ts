/**
 * Reads JSON text with the place of every value in it, so that one value can be set and every other byte stays:
 * comments, order, spacing and number spellings of a person's file are theirs. Understands JSON with comments and
 * trailing commas (VS Code's dialect) when told to.
 */

/** A value and where it stands: `start` inclusive, `end` exclusive, in code units. */
export interface JsonNode {
  readonly start: number;
  readonly end: number;
  readonly value: unknown;
  /** Of an object only: its members, in the order of the text. */
  readonly members?: readonly JsonMember[];
  /** Of an object only: a comma stands after the last member. */
  readonly trailingComma?: boolean;
}

export interface JsonMember {
  readonly key: string;
  readonly keyStart: number;
  readonly node: JsonNode;
}

/** The text cannot be relied on; `reason` is part of a sentence and quotes nothing of the text. */
export class JsonTextError extends Error {
  readonly reason: string;

  constructor(reason: string, text: string, at: number) {
    super(`${reason} in line ${text.slice(0, at).split('\n').length}`);
    this.name = 'JsonTextError';
    this.reason = this.message;
  }
}

const MAX_DEPTH = 100;
const LITERAL = /(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)/y;
/** What JSON.parse then refuses (control characters, bad escapes) is no JSON either. */
const STRING = /"(?:[^"\\\r\n]|\\.)*"/y;

/**
 * Parses a whole text. `lenient` allows comments and trailing commas.
 * @throws JsonTextError for anything else, and for an object that names a key twice (which one counts is unclear)
 */
export function parseJsonText(text: string, lenient: boolean): JsonNode {
  let at = text.startsWith('\uFEFF') ? 1 : 0;
  const fail = (reason: string): never => {
    throw new JsonTextError(reason, text, at);
  };

  const skip = (): void => {
    for (;;) {
      while (' \t\r\n'.includes(text[at] ?? 'x')) at += 1;
      const opener = text.slice(at, at + 2);
      if (opener !== '//' && opener !== '/*') return;
      if (!lenient) fail('there is a comment, which this file may not have');
      const end = opener === '//' ? text.indexOf('\n', at) : text.indexOf('*/', at + 2);
      if (end === -1 && opener === '/*') fail('a comment does not end');
      at = end === -1 ? text.length : opener === '//' ? end : end + 2;
    }
  };

  const match = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0];
    if (found !== undefined) at += found.length;
    return found;
  };

  const string = (): string => {
    const found = match(STRING) ?? fail('there is something that is no JSON');
    try {
      return String(JSON.parse(found));
    } catch {
      return fail('there is something that is no JSON');
    }
  };

  /** After a member or an element: true when another follows. */
  const another = (close: string): { more: boolean; trailing: boolean } => {
    skip();
    if (text[at] === close) return { more: false, trailing: false };
    if (text[at] !== ',') fail('a comma is missing');
    at += 1;
    skip();
    if (text[at] !== close) return { more: true, trailing: false };
    if (!lenient) fail('there is a comma too many');
    return { more: false, trailing: true };
  };

  const object = (start: number, depth: number): JsonNode => {
    const members: JsonMember[] = [];
    const value = new Map<string, unknown>();
    let trailingComma = false;
    at += 1;
    skip();
    for (let more = text[at] !== '}'; more; ) {
      skip();
      const keyStart = at;
      const key = string();
      if (value.has(key)) fail('a key is there twice');
      skip();
      if (text[at] !== ':') fail('a colon is missing');
      at += 1;
      const node = read(depth + 1);
      members.push({ key, keyStart, node });
      value.set(key, node.value);
      ({ more, trailing: trailingComma } = another('}'));
    }
    at += 1;
    return { start, end: at, value: Object.fromEntries(value), members, trailingComma };
  };

  const array = (start: number, depth: number): JsonNode => {
    const value: unknown[] = [];
    at += 1;
    skip();
    for (let more = text[at] !== ']'; more; ) {
      value.push(read(depth + 1).value);
      ({ more } = another(']'));
    }
    at += 1;
    return { start, end: at, value };
  };

  const read = (depth: number): JsonNode => {
    if (depth > MAX_DEPTH) fail('values are nested too deep');
    skip();
    const start = at;
    if (text[at] === '{') return object(start, depth);
    if (text[at] === '[') return array(start, depth);
    if (text[at] === '"') {
      const value = string();
      return { start, end: at, value };
    }
    const literal = match(LITERAL) ?? fail('there is something that is no JSON');
    const value: unknown = JSON.parse(literal);
    return { start, end: at, value };
  };

  const root = read(0);
  skip();
  if (at < text.length) fail('there is something after the end');
  return root;
}
