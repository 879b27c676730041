/**
 * Sets one value in a JSON text and changes no other byte. The result is verified: parsed again, it must equal the
 * old value with that entry set; otherwise nothing is edited.
 */
import { isDeepStrictEqual } from 'node:util';
import { applyEdits, type Edit, findNodeAtLocation, format, modify, type Node } from 'jsonc-parser';
import { JsonError, parseJsonTree, positionIn, valueOfNode } from '../../base/strictJson.ts';

export type EntryEdit =
  | { readonly kind: 'same' }
  | { readonly kind: 'edit'; readonly edit: Edit; readonly text: string }
  /** The file must not be edited. `reason` is part of a sentence. */
  | { readonly kind: 'unsafe'; readonly reason: string };

export interface SetEntryOptions {
  /** Keys from the root to the entry. */
  readonly path: readonly [string, ...string[]];
  readonly value: unknown;
  /** Whether the file may contain comments and trailing commas. */
  readonly lenient: boolean;
}

/** Returns the value at a path of a parsed text, or `undefined`. */
export function valueAt(root: unknown, path: readonly string[]): unknown {
  let value = root;
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = Reflect.get(value, key);
  }
  return value;
}

/** Sets `value` at `path` in `text`; empty text becomes a complete file. */
export function setEntry(text: string, options: SetEntryOptions): EntryEdit {
  const { path, value, lenient } = options;
  if (text.replace('\uFEFF', '').trim() === '') {
    const whole = `${JSON.stringify(withEntry(undefined, path, value), undefined, 2)}\n`;
    return { kind: 'edit', edit: { offset: 0, length: text.length, content: whole }, text: whole };
  }
  try {
    const root = parseFileTree(text, lenient);
    const before = valueOfNode(root);
    if (isDeepStrictEqual(valueAt(before, path), value)) return { kind: 'same' };
    for (const [depth] of path.entries()) {
      const node = findNodeAtLocation(root, path.slice(0, depth));
      if (node !== undefined && node.type !== 'object')
        throw new JsonError('an object is missing', positionIn(text, node.offset));
    }
    const edit = editFor(withoutMark(text), path, value);
    const after = applyEdits(text, [edit]);
    if (!isDeepStrictEqual(valueOfNode(parseFileTree(after, lenient)), withEntry(before, path, value))) {
      return { kind: 'unsafe', reason: 'the entry cannot be set without changing something else' };
    }
    return { kind: 'edit', edit, text: after };
  } catch (error) {
    if (error instanceof JsonError)
      return { kind: 'unsafe', reason: `${error.message} (line ${error.position.line})` };
    throw error;
  }
}

/** Parses a client's configuration file. Positions include a byte order mark. Throws JsonError. */
export const parseFileTree = (text: string, lenient: boolean): Node =>
  parseJsonTree(withoutMark(text), { lenient, maxDepth: 100 });

const withoutMark = (text: string): string => text.replace(/^\uFEFF/, ' ');

function withEntry(root: unknown, [key, ...rest]: readonly string[], value: unknown): unknown {
  if (key === undefined) return value;
  const object = typeof root === 'object' && root !== null ? root : {};
  return { ...object, [key]: withEntry(valueAt(object, [key]), rest, value) };
}

/**
 * Returns jsonc-parser's edit in the file's format: indent, line ends, single line. A new member is inserted first,
 * so that no comma separates a comment from its member.
 */
function editFor(text: string, path: readonly string[], value: unknown): Edit {
  const [edit] = modify(text, [...path], value, { getInsertionIndex: () => 0 });
  if (edit === undefined || !text.trim().includes('\n')) return edit ?? { offset: 0, length: 0, content: '' };
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  const unit = /\n([ \t]+)(?=["}])/.exec(text)?.[1] ?? '  ';
  const outer = /^[ \t]*/.exec(text.slice(text.lastIndexOf('\n', edit.offset - 1) + 1))?.[0] ?? '';
  const style = { insertSpaces: unit[0] !== '\t', tabSize: unit.length, eol: '\n' };
  const spelled = applyEdits(edit.content, format(edit.content, undefined, style));
  if (edit.length > 0) return { ...edit, content: spelled.replaceAll('\n', eol + outer) };
  const member = eol + outer + unit + spelled.replaceAll('\n', eol + outer + unit);
  // Keeps a comment at the end of the opening brace's line there.
  const rest = /^[ \t]*(\/\/.*)?(?=\r?\n)/.exec(text.slice(edit.offset));
  return rest === null
    ? { ...edit, content: member + eol + outer }
    : { ...edit, offset: edit.offset + rest[0].length, content: member };
}
