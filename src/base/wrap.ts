/** Lines broken between words, with hanging indents. Pure. */

/** Wraps a text. The first line begins with `first`, the others with as many spaces (or with `rest`). */
export function wrap(text: string, columns: number, first = '', rest = ' '.repeat(first.length)): string[] {
  const lines: string[] = [];
  let line = first;
  let empty = true;
  for (const word of text.split(' ')) {
    if (!empty && line.length + 1 + word.length > columns) {
      lines.push(line);
      line = rest;
      empty = true;
    }
    line = empty ? `${line}${word}` : `${line} ${word}`;
    empty = false;
  }
  return [...lines, line.trimEnd()];
}

/**
 * A line of prose as it fits a terminal: broken between words, further lines as far in as the first. A terminal that does
 * not say how wide it is breaks lines itself.
 */
export function fitted(line: string, columns: number | undefined): string[] {
  if (columns === undefined || columns <= 0 || line.length <= columns) return [line];
  const [indent = ''] = /^ */.exec(line) ?? [];
  return wrap(line.slice(indent.length), columns, indent);
}
