/**
 * Sets one value in a JSON text and changes no other byte. The result is checked: parsed again, it must be the old
 * value with exactly that entry set; otherwise nothing is edited.
 */
import { isDeepStrictEqual } from 'node:util';
import { type Node, stripComments } from 'jsonc-parser';
import { JsonError, membersOf, parseJsonTree, positionIn, valueOfNode } from '../../base/strictJson.ts';

/** Text that is put in place of `text.slice(start, end)`. */
export interface TextEdit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

export type EntryEdit =
  | { readonly kind: 'same' }
  /** Edits in the order of the text; they do not overlap. */
  | { readonly kind: 'edit'; readonly edits: readonly TextEdit[]; readonly text: string }
  /** The file must not be touched. `reason` is part of a sentence. */
  | { readonly kind: 'unsafe'; readonly reason: string };

export interface SetEntryOptions {
  /** Keys from the root to the entry. */
  readonly path: readonly [string, ...string[]];
  readonly value: unknown;
  /** The file may hold comments and trailing commas. */
  readonly lenient: boolean;
}

/** The value at a path of a parsed text, or `undefined`. */
export function valueAt(root: unknown, path: readonly string[]): unknown {
  let value = root;
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = Reflect.get(value, key);
  }
  return value;
}

/** Sets `value` at `path` in `text`; an empty text becomes a whole file. */
export function setEntry(text: string, options: SetEntryOptions): EntryEdit {
  const { path, value, lenient } = options;
  if (text.replace('\uFEFF', '').trim() === '') {
    const whole = `${JSON.stringify(nested(path, value), undefined, 2)}\n`;
    return { kind: 'edit', edits: [{ start: 0, end: text.length, text: whole }], text: whole };
  }
  try {
    const root = parseFileTree(text, lenient);
    const before = valueOfNode(root);
    if (isDeepStrictEqual(valueAt(before, path), value)) return { kind: 'same' };
    const edits = makeEdits(text, root, path, value);
    const after = applyEdits(text, edits);
    if (!isDeepStrictEqual(valueOfNode(parseFileTree(after, lenient)), withEntry(before, path, value))) {
      return { kind: 'unsafe', reason: 'the entry cannot be set without changing something else' };
    }
    return { kind: 'edit', edits, text: after };
  } catch (error) {
    if (error instanceof JsonError)
      return { kind: 'unsafe', reason: `${error.message} (line ${error.position.line})` };
    throw error;
  }
}

/** The tree of a client's configuration file. A byte order mark keeps its place. Throws JsonError. */
export const parseFileTree = (text: string, lenient: boolean): Node =>
  parseJsonTree(text.replace(/^\uFEFF/, ' '), { lenient, maxDepth: 100 });

function applyEdits(text: string, edits: readonly TextEdit[]): string {
  let out = '';
  let from = 0;
  for (const edit of edits) {
    out += text.slice(from, edit.start) + edit.text;
    from = edit.end;
  }
  return out + text.slice(from);
}

const nested = (path: readonly string[], value: unknown): unknown =>
  path.reduceRight<unknown>((inner, key) => ({ [key]: inner }), value);

function withEntry(root: unknown, [key, ...rest]: readonly string[], value: unknown): unknown {
  if (key === undefined) return value;
  const object = typeof root === 'object' && root !== null ? root : {};
  return { ...object, [key]: withEntry(valueAt(object, [key]), rest, value) };
}

function makeEdits(text: string, root: Node, path: readonly string[], value: unknown): TextEdit[] {
  const [key = '', ...rest] = path;
  if (root.type !== 'object')
    throw new JsonError('there is no object where one should be', positionIn(text, root.offset));
  const found = membersOf(root).find((member) => member.key.value === key);
  if (found === undefined) return insertMember(text, root, key, nested(rest, value));
  if (rest.length > 0) return makeEdits(text, found.value, rest, value);
  const { offset: start, length } = found.value;
  return [{ start, end: start + length, text: spelled(text, value, lineIndent(text, found.key.offset)) }];
}

/** A new last member. A comment behind the member that was last stays behind it. */
function insertMember(text: string, object: Node, key: string, value: unknown): TextEdit[] {
  const last = membersOf(object).at(-1);
  const oneLine = !text.trim().includes('\n');
  const outer = lineIndent(text, object.offset);
  const indent = last === undefined ? outer + indentUnit(text) : lineIndent(text, last.key.offset);
  const member = `${JSON.stringify(key)}: ${spelled(text, value, indent)}`;
  const close = object.offset + object.length - 1;
  const place = text.slice(0, close).trimEnd().length;
  const lead = oneLine ? (last === undefined ? ' ' : ' ') : eol(text) + indent;
  // A closing brace on the same line moves to a line of its own.
  const tail = oneLine
    ? last === undefined
      ? ' '
      : ''
    : text.slice(place, close).includes('\n')
      ? ''
      : eol(text) + outer;
  if (last === undefined) return [{ start: place, end: place, text: lead + member + tail }];
  const comma = last.value.offset + last.value.length;
  if (hasComma(text.slice(comma, close)))
    return [{ start: place, end: place, text: `${lead}${member},${tail}` }];
  if (comma === place) return [{ start: comma, end: comma, text: `,${lead}${member}${tail}` }];
  return [
    { start: comma, end: comma, text: ',' },
    { start: place, end: place, text: lead + member + tail },
  ];
}

/** Whether what stands between the last member and the closing brace holds a comma outside of comments. */
const hasComma = (between: string): boolean => stripComments(between).includes(',');

/** A value as the file would spell it: its indent, its line ends; on one line where the file is one line. */
function spelled(text: string, value: unknown, indent: string): string {
  if (!text.trim().includes('\n')) return JSON.stringify(value);
  return JSON.stringify(value, undefined, indentUnit(text)).replaceAll('\n', eol(text) + indent);
}

const eol = (text: string): string => (text.includes('\r\n') ? '\r\n' : '\n');

/** White space the line of a place begins with. */
const lineIndent = (text: string, at: number): string =>
  /^[ \t]*/.exec(text.slice(text.lastIndexOf('\n', at - 1) + 1))?.[0] ?? '';

/** One step of the file's own indentation; two spaces when it shows none. */
const indentUnit = (text: string): string => /\n([ \t]+)(?=["}])/.exec(text)?.[1] ?? '  ';
