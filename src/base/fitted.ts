/** Text laid out so that every line fits, whatever stands in it: long notes, paths, hashes. Pure. */

/**
 * Wraps at spaces. A word that has no room on a line of its own goes on in the next line, and never in the middle of an
 * address: it is broken after a sign that no address has.
 */
export function fitted(text: string, columns: number, first = '', rest = ' '.repeat(first.length)): string[] {
  const room = columns - Math.max(first.length, rest.length);
  const lines: string[] = [];
  let line = first;
  let empty = true;
  const end = (): void => {
    lines.push(line.trimEnd());
    line = rest;
    empty = true;
  };
  for (const word of text.split(' ')) {
    for (const [index, piece] of piecesOf(word, room).entries()) {
      if (!empty && (index > 0 || line.length + 1 + piece.length > columns)) end();
      line = empty ? `${line}${piece}` : `${line} ${piece}`;
      empty = false;
    }
  }
  end();
  return lines;
}

/** A word in pieces that fit: runs of letters and digits stay whole where they can. */
function piecesOf(word: string, room: number): string[] {
  if (word.length <= room) return [word];
  const pieces = [''];
  const runs = word.match(new RegExp(`[A-Za-z0-9]{1,${room}}|[^A-Za-z0-9]`, 'gu')) ?? [];
  for (const run of runs) {
    const last = pieces.at(-1) ?? '';
    if (last.length + run.length > room) pieces.push(run);
    else pieces[pieces.length - 1] = `${last}${run}`;
  }
  return pieces;
}
