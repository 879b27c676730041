/**
 * Draws the house from its imports: one node a folder, one arrow for each folder another needs, without the arrows
 * that a longer way already shows. Dotted arrows are loaded on demand or are types only.
 */
import { type Import, importsBelow } from './imports.ts';

/** What each folder is for; a folder that is missing here cannot be drawn. */
const FOLDERS: Readonly<Record<string, string>> = {
  index: 'the library entry for agent frameworks',
  cli: 'the countersign command',
  runtime: 'wires everything together',
  page: 'the local page a person answers on',
  server: 'MCP: serving, rendering, guidance',
  tools: 'what the agent sees',
  presentation: 'what plans look like to people and agents',
  landing: 'lands a plan exactly once',
  builders: 'builds what no service is asked for',
  approval: 'ways to ask a person',
  ledger: 'durable journal, limits, decisions',
  review: 'says what policies do; pure',
  policy: 'decides from the bytes; pure',
  plan: 'what a staged plan is; pure',
  rpc: 'RPC, simulation',
  service: 'HTTP client of the service',
  programs: 'reads instructions and accounts; pure',
  transaction: 'bytes: read, hash, sign; pure',
  contract: 'endpoints and schemas; pure',
  secrets: 'secret stores, redaction',
  sandbox: 'embedded chain and service',
  attacks: 'attacks played on the sandbox',
  demo: 'plays the main job, step by step',
};

/** Every layer uses these. */
const LEFT_OUT: readonly string[] = ['base', 'clock'];

const folderOf = (file: string): string =>
  file.startsWith('tools/') ? 'tools' : (/^src\/(\w+)/.exec(file)?.[1] ?? file);

interface Arrow {
  readonly from: string;
  readonly to: string;
  /** At least one import is needed as soon as the file is loaded. */
  readonly solid: boolean;
}

/** The arrows between folders. */
export function arrowsOf(imports: readonly Import[]): Arrow[] {
  const arrows = new Map<string, Arrow>();
  for (const { from, to, kind } of imports) {
    const arrow = { from: folderOf(from), to: folderOf(to), solid: kind === 'static' };
    if (arrow.from === arrow.to || LEFT_OUT.includes(arrow.to) || LEFT_OUT.includes(arrow.from)) continue;
    const key = `${arrow.from} ${arrow.to}`;
    arrows.set(key, { ...arrow, solid: arrow.solid || arrows.get(key)?.solid === true });
  }
  return [...arrows.values()].sort((a, b) => rank(a.from) - rank(b.from) || rank(a.to) - rank(b.to));
}

const names = Object.keys(FOLDERS);
const rank = (folder: string): number => names.indexOf(folder);

/** Whether `to` can be reached from `from` over other arrows than the direct one. */
function hasDetour(arrows: readonly Arrow[], from: string, to: string): boolean {
  const open = arrows.filter((arrow) => arrow.from === from && arrow.to !== to).map((arrow) => arrow.to);
  const seen = new Set(open);
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (next === to) return true;
    for (const arrow of arrows) {
      if (arrow.from !== next || seen.has(arrow.to)) continue;
      seen.add(arrow.to);
      open.push(arrow.to);
    }
  }
  return false;
}

/** The diagram as a Mermaid flow chart, made from the source files below `root`. */
export function architectureDiagram(root: string): string {
  const ours = importsBelow(root, ['src', 'tools']).filter(({ to }) => /^(src|tools)\/.*\.ts$/.test(to));
  const arrows = arrowsOf(ours);
  const drawn = new Set(arrows.flatMap(({ from, to }) => [from, to]));
  const unknown = [...drawn].find((folder) => !names.includes(folder));
  if (unknown !== undefined) throw new Error(`scripts/diagram.ts does not say what ${unknown} is for`);
  return [
    'flowchart TD',
    ...names
      .filter((name) => drawn.has(name))
      .map((name) => `  ${name}["<b>${name}</b><br/>${FOLDERS[name]}"]`),
    ...arrows
      .filter(({ from, to }) => !hasDetour(arrows, from, to))
      .map(({ from, to, solid }) => `  ${from} ${solid ? '-->' : '-.->'} ${to}`),
    '',
  ].join('\n');
}

const START = '<!-- diagram:start -->';
const END = '<!-- diagram:end -->';

/** The architecture page with its diagram made anew. */
export function architecturePage(written: string, root: string): string {
  const start = written.indexOf(START);
  const end = written.indexOf(END);
  if (start === -1 || end < start) throw new Error('the architecture page lost its markers');
  const block = ['```mermaid', architectureDiagram(root).trimEnd(), '```', ''].join('\n');
  return `${written.slice(0, start + START.length)}\n\n${block}\n${written.slice(end)}`;
}
