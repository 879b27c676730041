/**
 * A strict JSON reader that knows where everything stands. `JSON.parse` takes the last of two equal keys and says
 * nothing; a policy with two `max` must be refused, and a person must be told the line (B72).
 */

/** Where something stands in a text; both count from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** Why a text is not the JSON that is accepted here. */
export class JsonError extends Error {
  readonly position: Position;

  constructor(message: string, position: Position) {
    super(message);
    this.name = 'JsonError';
    this.position = position;
  }
}

/** A value, and where each part of it stands. */
export interface JsonDocument {
  readonly value: unknown;
  /** The position of the part a path leads to, or of the nearest part around it that exists. */
  at(path: readonly PropertyKey[]): Position;
}

/** Deepest nesting of a document. */
const MAX_DEPTH = 32;
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
/** Keys that mean something to objects themselves. */
const FORBIDDEN_KEYS: readonly string[] = ['__proto__', 'constructor', 'prototype'];

/** Reads a JSON text: no byte order mark, no comments, no key twice in one object, nothing after the value. */
export function readJson(text: string): JsonDocument {
  const reader = new JsonReader(text);
  const value = reader.document();
  return { value, at: (path) => reader.positionOf(path) };
}

class JsonReader {
  readonly #text: string;
  #offset = 0;
  readonly #offsets = new Map<string, number>();

  constructor(text: string) {
    this.#text = text;
  }

  document(): unknown {
    if (this.#text.startsWith('\ufeff')) this.#refuse('the text starts with a byte order mark');
    const value = this.#value([]);
    this.#space();
    if (this.#offset < this.#text.length) this.#refuse('there is something after the end');
    return value;
  }

  positionOf(path: readonly PropertyKey[]): Position {
    for (let length = path.length; length >= 0; length--) {
      const offset = this.#offsets.get(pathKey(path.slice(0, length)));
      if (offset !== undefined) return this.#position(offset);
    }
    return this.#position(0);
  }

  #value(path: readonly PropertyKey[]): unknown {
    if (path.length > MAX_DEPTH) this.#refuse(`nested deeper than ${MAX_DEPTH}`);
    this.#space();
    this.#offsets.set(pathKey(path), this.#offset);
    const next = this.#text[this.#offset];
    if (next === '{') return this.#object(path);
    if (next === '[') return this.#array(path);
    if (next === '"') return this.#string();
    for (const [word, value] of [
      ['true', true],
      ['false', false],
      ['null', null],
    ] as const) {
      if (this.#text.startsWith(word, this.#offset)) {
        this.#offset += word.length;
        return value;
      }
    }
    return this.#number();
  }

  #object(path: readonly PropertyKey[]): Record<string, unknown> {
    const value: Record<string, unknown> = {};
    this.#take('{');
    if (this.#skipped('}')) return value;
    do {
      this.#space();
      const start = this.#offset;
      const key = this.#string();
      if (Object.hasOwn(value, key)) this.#refuse('the same key stands here twice', start);
      if (FORBIDDEN_KEYS.includes(key)) this.#refuse('this key is not allowed', start);
      this.#space();
      this.#take(':');
      value[key] = this.#value([...path, key]);
    } while (this.#skipped(','));
    this.#space();
    this.#take('}');
    return value;
  }

  #array(path: readonly PropertyKey[]): unknown[] {
    const value: unknown[] = [];
    this.#take('[');
    if (this.#skipped(']')) return value;
    do value.push(this.#value([...path, value.length]));
    while (this.#skipped(','));
    this.#space();
    this.#take(']');
    return value;
  }

  #string(): string {
    const start = this.#offset;
    this.#take('"');
    for (let escaped = false; ; this.#offset++) {
      const character = this.#text[this.#offset];
      if (character === undefined || character < ' ') this.#refuse('a text does not end on its line', start);
      if (!escaped && character === '"') break;
      escaped = !escaped && character === '\\';
    }
    this.#offset++;
    try {
      return String(JSON.parse(this.#text.slice(start, this.#offset)));
    } catch {
      return this.#refuse('a text has an unknown escape', start);
    }
  }

  #number(): number {
    NUMBER.lastIndex = this.#offset;
    const match = NUMBER.exec(this.#text)?.[0];
    if (match === undefined) return this.#refuse('this is no JSON value');
    const value = Number(match);
    if (!Number.isFinite(value) || Object.is(value, -0)) this.#refuse('this number is not allowed');
    this.#offset += match.length;
    return value;
  }

  #space(): void {
    while (' \t\r\n'.includes(this.#text[this.#offset] ?? 'x')) this.#offset++;
  }

  #skipped(character: string): boolean {
    this.#space();
    if (this.#text[this.#offset] !== character) return false;
    this.#offset++;
    return true;
  }

  #take(character: string): void {
    if (this.#text[this.#offset] !== character) this.#refuse(`a ${character} is missing here`);
    this.#offset++;
  }

  #refuse(message: string, offset = this.#offset): never {
    throw new JsonError(message, this.#position(offset));
  }

  #position(offset: number): Position {
    const before = this.#text.slice(0, offset).split('\n');
    return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
  }
}

const pathKey = (path: readonly PropertyKey[]) => JSON.stringify(path.map(String));
