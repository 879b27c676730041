/**
 * Where each row of the project's own documents is done and shown. Code and tests cite row ids (`C-CONFIG-03`,
 * `T12`, `F05`, `B12`) in comments and test names; this reads the citations back into a table, so the table
 * cannot claim what the code does not.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

export interface TraceRow {
  readonly id: string;
  readonly rule: string;
  /** Source files that cite the row. */
  readonly done: readonly string[];
  /** `file: test name` for tests that cite it in their name, else the test file. */
  readonly shown: readonly string[];
}

/** Rows of a Markdown document: table lines whose first cell is an id that matches `pattern`. */
export function documentRows(path: string, pattern: RegExp): { id: string; rule: string }[] {
  const rows: { id: string; rule: string }[] = [];
  for (const line of readFileSync(path, 'utf8').split('\n')) {
    const cells = line.split(/(?<!\\)\|/).map((cell) => cell.trim());
    const id = cells[1]?.replaceAll('`', '').replaceAll('*', '') ?? '';
    if (cells.length >= 4 && pattern.test(id)) rows.push({ id, rule: cells[2] ?? '' });
  }
  return rows;
}

function files(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter(
      (entry) => entry.isFile() && /\.(ts|mjs)$/.test(entry.name) && !entry.name.includes('.generated.'),
    )
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

/** `C-A-01 … 04`, `C-A-01..04`, `F01 … F05` cite each row in between. */
function expandRanges(text: string): string {
  return text.replace(
    /\b(C-[A-Z0-9]+-|[TFB])(\d+)[ \t]*(?:…|\.\.\.?|–|to)[ \t]*(?:C-[A-Z0-9]+-|[TFB])?(\d+)/g,
    (whole, prefix: string, from: string, to: string) => {
      const ids: string[] = [];
      for (let n = Number(from); n <= Number(to) && ids.length < 200; n += 1)
        ids.push(prefix + String(n).padStart(from.length, '0'));
      return ids.length > 0 ? ids.join(' ') : whole;
    },
  );
}

const ID = /\b(?:C-[A-Z0-9]+-\d+|[TFB]\d{1,3})\b/g;

/** The documents whose rows code may cite, and what their ids look like. */
export const ROW_DOCUMENTS = {
  'docs/contract.md': /^C-[A-Z]+-[0-9]+$/,
  'docs/faults.md': /^[FB][0-9]{2}$/,
  'docs/threat-model.md': /^T[0-9]{1,3}$/,
} as const;

/** As a source cites a row: a capital letter and two digits, or a threat of up to three, also of kinds that no document has. */
const CITED = /\b(?:C-[A-Z0-9]+-\d+|[A-Z]\d{2}|T\d{1,3})\b/g;

/** A text that opens a call or a row of a table of cases: what names a test. */
const NAME = /[([]\s*(['"`])((?:\\.|(?!\1)[^\\\n])*)\1/g;

/** Names of tests and of the cases they are made for: texts of several words that cite a row. */
function names(source: string): string[] {
  return [...source.matchAll(NAME)]
    .map(([, , text]) => text ?? '')
    .filter((text) => text.includes(' ') && text.search(ID) >= 0);
}

/** Finds every citation of the rows in sources (`src`, `tools`) and tests (`test`). */
export function trace(root: string, rows: readonly { id: string; rule: string }[]): TraceRow[] {
  const done = new Map<string, Set<string>>();
  const shown = new Map<string, Set<string>>();
  const known = new Set(rows.map((row) => row.id));
  const note = (map: Map<string, Set<string>>, text: string, place: string) => {
    for (const [id] of expandRanges(text).matchAll(ID)) {
      if (known.has(id)) map.set(id, (map.get(id) ?? new Set()).add(place));
    }
  };
  for (const folder of ['src', 'tools']) {
    for (const file of files(join(root, folder)))
      note(done, readFileSync(file, 'utf8'), relative(root, file));
  }
  for (const file of files(join(root, 'test'))) {
    const place = relative(root, file);
    const source = readFileSync(file, 'utf8');
    note(shown, source, place);
    for (const name of names(source)) note(shown, name, `${place}: ${name}`);
  }
  return rows.map(({ id, rule }) => ({
    id,
    rule,
    done: [...(done.get(id) ?? [])],
    shown: preferNamed([...(shown.get(id) ?? [])]),
  }));
}

/** A file cited only as a whole is left out where a test of it, or of another, is named. */
function preferNamed(places: string[]): string[] {
  const named = places.filter((place) => place.includes(': '));
  return named.length > 0 ? named : places;
}

/** Row ids that sources cite and no document has, each with the first file that cites it. */
export function unknownRows(root: string, known: ReadonlySet<string>): string[] {
  const cited = new Map<string, string>();
  for (const folder of ['src', 'tools']) {
    for (const file of files(join(root, folder))) {
      for (const [id] of expandRanges(readFileSync(file, 'utf8')).matchAll(CITED)) {
        if (!known.has(id) && !cited.has(id)) cited.set(id, relative(root, file));
      }
    }
  }
  return [...cited].map(([id, file]) => `${id} (${file})`);
}

/** A Markdown table of the rows; at most `most` places a cell. */
export function traceTable(rows: readonly TraceRow[], most = 3): string {
  const cell = (places: readonly string[]): string => {
    const escaped = places
      .slice(0, most)
      .map((place) => `\`${place.replaceAll('|', '\\|').replaceAll('`', "'")}\``);
    return escaped.join('<br>') + (places.length > most ? `<br>and ${places.length - most} more` : '');
  };
  const lines = rows.map((row) => `| ${row.id} | ${row.rule} | ${cell(row.done)} | ${cell(row.shown)} |`);
  return ['| row | rule | done in | shown by |', '|---|---|---|---|', ...lines, ''].join('\n');
}
