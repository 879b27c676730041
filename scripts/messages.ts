/**
 * The messages that the code writes, read from the code: what an error class is made with, and what `countersign doctor`
 * finds missing. Values that are put into a text when it is written stand as `…`.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Message {
  readonly text: string;
  /** The code that stands beside the text in results. */
  readonly code: string | undefined;
  /** The next step, where the code gives one beside the text. */
  readonly hint: string | undefined;
  /** File it is written in, from the project's root. */
  readonly file: string;
}

const POLICY_FILE =
  'Name a file that you alone can write: `--policy FILE`. `countersign policy check FILE` reads it.';

/** Classes whose first argument is the text, and those that put a code before it. */
const TEXT_FIRST = ['SetupError', 'UsageError'];
const CODE_FIRST = ['SecretError', 'LedgerError', 'LandingError', 'ChainError'];

/** The arguments of the call whose bracket opens at `open`, as the code has them. */
function argumentsAt(source: string, open: number): string[] {
  const out: string[] = [];
  let depth = 0;
  let from = open + 1;
  for (let at = open; at < source.length; at += 1) {
    const character = source[at] ?? '';
    if (character === "'" || character === '"' || character === '`') at = endOfText(source, at);
    else if ('([{'.includes(character)) depth += 1;
    else if (')]}'.includes(character)) depth -= 1;
    const ends = depth === 0 && at > open;
    if (ends || (depth === 1 && character === ',')) {
      out.push(source.slice(from, at).trim());
      from = at + 1;
    }
    if (ends) break;
  }
  return out.filter((argument) => argument !== '');
}

/** Where the text that begins at `at` ends. */
function endOfText(source: string, at: number): number {
  const quote = source[at];
  let depth = 0;
  for (let place = at + 1; place < source.length; place += 1) {
    if (source[place] === '\\') place += 1;
    else if (quote === '`' && source.startsWith('${', place)) depth += 1;
    else if (depth > 0 && source[place] === '}') depth -= 1;
    else if (depth === 0 && source[place] === quote) return place;
  }
  throw new Error('a text in the code does not end');
}

/** The text of literals, joined; `undefined` for anything else. A name is looked up in its own file. */
function textOf(argument: string, source: string): string | undefined {
  const named = /^[A-Z][A-Z_]+$/.test(argument)
    ? new RegExp(`const ${argument} =\\s*(['"\`])`).exec(source)
    : undefined;
  if (named != null) {
    const at = named.index + named[0].length - 1;
    return textOf(source.slice(at, endOfText(source, at) + 1), source);
  }
  if (!/^['"`]/.test(argument)) return undefined;
  let out = '';
  for (let at = 0; at < argument.length; ) {
    if (!/['"`]/.test(argument[at] ?? '')) {
      if (!/[\s+]/.test(argument[at] ?? '')) return undefined;
      at += 1;
      continue;
    }
    const end = endOfText(argument, at);
    out += argument
      .slice(at + 1, end)
      .replace(/\$\{(?:[^{}]|\{[^{}]*\})*\}/g, '…')
      .replace(/\\(.)/g, '$1');
    at = end + 1;
  }
  return out;
}

const literalAt = (code: string, at: number, source: string): string | undefined =>
  textOf(code.slice(at, endOfText(code, at) + 1), source);

const sources = (root: string): { file: string; source: string }[] =>
  ['src', 'tools'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true })
      .map((name) => `${folder}/${String(name)}`)
      .filter(
        (file) => file.endsWith('.ts') && !file.includes('/attacks/') && !file.includes('/sandbox/chain/'),
      )
      .sort()
      .map((file) => ({ file, source: readFileSync(join(root, file), 'utf8') })),
  );

/** Every message the code makes an error of that a person may read, in the order of the files. */
export function errorMessages(root: string): Message[] {
  const out = new Map<string, Message>();
  for (const { file, source } of sources(root)) {
    const made = new RegExp(`\\bnew (${[...TEXT_FIRST, ...CODE_FIRST].join('|')})\\(`, 'g');
    for (const found of source.matchAll(made)) {
      const given = argumentsAt(source, found.index + found[0].length - 1);
      const coded = CODE_FIRST.includes(found[1] ?? '');
      const [first = '', second = ''] = coded ? given.slice(1) : given;
      const text = textOf(first, source);
      const code = coded ? textOf(given[0] ?? '', source) : undefined;
      if (text !== undefined && /\p{L}{3}/u.test(text) && !out.has(text))
        out.set(text, { text, code, hint: textOf(second, source), file });
    }
  }
  for (const { file, source } of sources(root).filter((each) => each.file.startsWith('src/cli/'))) {
    // Sentences a command ends with, without an error.
    for (const found of source.matchAll(/\btell\(\s*(?=['"`])/g)) {
      const at = found.index + found[0].length;
      if (!/^\s*,?\s*\);\s*return 1;/.test(source.slice(endOfText(source, at) + 1))) continue;
      const text = literalAt(source, at, source);
      if (text !== undefined && /\p{L}{3}/u.test(text))
        out.set(text, { text, code: undefined, hint: undefined, file });
    }
  }
  const file = 'src/runtime/policyFile.ts';
  const source = readFileSync(join(root, file), 'utf8');
  for (const found of source.matchAll(/\bproblem:\s+(?=['`])/g)) {
    const text = literalAt(source, found.index + found[0].length, source);
    if (text !== undefined) out.set(text, { text, code: undefined, hint: POLICY_FILE, file });
  }
  return [...out.values()];
}

/** What a line of `countersign doctor` says that is not in order, and the step it names. */
export const doctorMessages = (root: string): Message[] =>
  ['doctor', 'record', 'wallets', 'principals'].flatMap((name) =>
    messagesOfDoctor(root, `src/cli/doctor/${name}.ts`),
  );

function messagesOfDoctor(root: string, file: string): Message[] {
  const source = readFileSync(join(root, file), 'utf8');
  return [...source.matchAll(/\{[^{}]*?ok: false,(?:[^{}]|\$\{[^{}]*\})*\}/g)].flatMap(
    ({ 0: finding, index: at }) => {
      const [what, detail, next] = ['what', 'detail', 'next'].map((key) => {
        const own = new RegExp(`\\b${key}: (?=['\`])`).exec(finding);
        if (own !== null) return literalAt(finding, own.index + own[0].length, source);
        if (!new RegExp(`\\b${key},`).test(finding)) return undefined;
        // `{ what, detail }`: the nearest constant of that name before it.
        const before = [...source.slice(0, at).matchAll(new RegExp(`const ${key} = (?=['\`])`, 'g'))].at(-1);
        return before && literalAt(source, before.index + before[0].length, source);
      });
      if (detail === undefined || !/\p{L}{3}/u.test(detail)) return [];
      return [
        { text: what === undefined ? detail : `${what}: ${detail}`, code: undefined, hint: next, file },
      ];
    },
  );
}
