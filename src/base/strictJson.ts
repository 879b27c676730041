/**
 * Strict JSON with the place of every part. `JSON.parse` takes the last of two equal keys and says nothing; a policy
 * with two `max` must be refused, and a person must be told the line (B72). The tokens and the tree are jsonc-parser's;
 * what is refused beyond its errors is decided here.
 */
import { createScanner, findNodeAtLocation, type Node, type ParseError, parseTree } from 'jsonc-parser';

/** Where something stands in a text; both count from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** Why a text is not the JSON that is accepted. The message quotes nothing of the text. */
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
/** Keys with a special meaning for JavaScript objects. */
const FORBIDDEN_KEYS: readonly string[] = ['__proto__', 'constructor', 'prototype'];

/** Reads a JSON text: no byte order mark, no comments, no key twice in one object, nothing after the value. */
export function readJson(text: string): JsonDocument {
  if (text.startsWith('\ufeff'))
    throw new JsonError('the text starts with a byte order mark', { line: 1, column: 1 });
  const root = parseJsonTree(text, { maxDepth: MAX_DEPTH, forbiddenKeys: FORBIDDEN_KEYS });
  return {
    value: valueOfNode(root),
    at: (path) => {
      for (let length = path.length; length > 0; length--) {
        const keys = path.slice(0, length).map((key) => (typeof key === 'number' ? key : String(key)));
        const node = findNodeAtLocation(root, keys);
        if (node !== undefined) return positionIn(text, node.offset);
      }
      return positionIn(text, root.offset);
    },
  };
}

export interface TreeOptions {
  /** Allows comments and trailing commas (VS Code's dialect). */
  readonly lenient?: boolean;
  /** Deepest nesting. */
  readonly maxDepth: number;
  readonly forbiddenKeys?: readonly string[];
}

/**
 * The tree of a whole JSON text, with the offset and length of every part.
 * @throws JsonError for anything else than one value, and for an object that names a key twice (which one counts is unclear)
 */
export function parseJsonTree(text: string, options: TreeOptions): Node {
  refuseDeepNesting(text, options.maxDepth);
  const errors: ParseError[] = [];
  const lenient = options.lenient === true;
  const root = parseTree(text, errors, { disallowComments: !lenient, allowTrailingComma: lenient });
  const first = errors[0];
  if (first !== undefined)
    throw new JsonError(MESSAGES[first.error] ?? NO_JSON, positionIn(text, first.offset));
  if (root === undefined) throw new JsonError(NO_JSON, positionIn(text, 0));
  checkNode(text, root, options.forbiddenKeys ?? []);
  return root;
}

/** The value of a tree. A key `__proto__` becomes an ordinary member. */
export function valueOfNode(node: Node): unknown {
  const { children = [] } = node;
  if (node.type === 'array') return children.map(valueOfNode);
  if (node.type === 'object')
    return Object.fromEntries(membersOf(node).map(({ key, value }) => [key.value, valueOfNode(value)]));
  return node.value;
}

/** The members of an object's node, in the order of the text. */
export function membersOf(node: Node): readonly { readonly key: Node; readonly value: Node }[] {
  return (node.children ?? []).flatMap(({ children: [key, value] = [] }) =>
    key === undefined || value === undefined ? [] : [{ key, value }],
  );
}

const NO_JSON = 'this is no JSON value';
/** Sentences for jsonc-parser's error codes (its `ParseErrorCode`). */
const MESSAGES: Readonly<Record<number, string>> = {
  1: NO_JSON,
  2: 'this number is not allowed',
  3: 'a key in double quotes is missing here',
  4: NO_JSON,
  5: 'a : is missing here',
  6: 'a comma is missing here',
  7: 'a } is missing here',
  8: 'a ] is missing here',
  9: 'there is something after the end',
  10: 'there is a comment, which this file may not have',
  11: 'a comment does not end',
  12: 'a text does not end on its line',
  13: 'this number is not allowed',
  14: 'a text has an unknown escape',
  15: 'a text has an unknown escape',
  16: 'a text holds a control character',
};

/** jsonc-parser recurses; a text nested deeper than `maxDepth` is refused before it is parsed. */
function refuseDeepNesting(text: string, maxDepth: number): void {
  const scanner = createScanner(text, true);
  const [OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET, END] = [1, 2, 3, 4, 17];
  let depth = 0;
  for (let token = scanner.scan(); Number(token) !== END; token = scanner.scan()) {
    const kind = Number(token);
    if (kind === OPEN_BRACE || kind === OPEN_BRACKET) depth++;
    if (kind === CLOSE_BRACE || kind === CLOSE_BRACKET) depth--;
    if (depth > maxDepth)
      throw new JsonError(`nested deeper than ${maxDepth}`, positionIn(text, scanner.getTokenOffset()));
  }
}

function checkNode(text: string, node: Node, forbiddenKeys: readonly string[]): void {
  const refuse = (message: string, at: Node): never => {
    throw new JsonError(message, positionIn(text, at.offset));
  };
  if (node.type === 'number' && (!Number.isFinite(node.value) || Object.is(node.value, -0)))
    refuse('this number is not allowed', node);
  if (node.type !== 'object') {
    for (const child of node.children ?? []) checkNode(text, child, forbiddenKeys);
    return;
  }
  const keys = new Set<string>();
  for (const { key, value } of membersOf(node)) {
    if (keys.has(key.value)) refuse('the same key stands here twice', key);
    if (forbiddenKeys.includes(key.value)) refuse('this key is not allowed', key);
    keys.add(key.value);
    checkNode(text, value, forbiddenKeys);
  }
}

/** The line and column of an offset. */
export function positionIn(text: string, offset: number): Position {
  const before = text.slice(0, offset).split('\n');
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}
