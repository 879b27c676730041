/**
 * What the sweep finds and what stands in `open.txt`: shots that are not denied though their operation does not contain
 * the instruction, unread instructions that are allowed on a public network, and what was allowed, ran, and left the
 * wallet worse off. The list may only shrink: a shot that is not in it is a fault, and so is one that no longer shows.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { IDLS } from '../oracle/idl.ts';
import { CATALOGUE } from './catalogue.ts';
import { on, POLICIES } from './policies.ts';
import type { Running } from './running.ts';
import { decideOn, factsOf, isPart, type Shot } from './sweep.ts';

export const KINDS = {
  open: 'not denied in an operation that does not contain it',
  public: 'unread, and allowed on a public network',
  worse: 'allowed, and worse for the wallet once it has run',
} as const;
export type Kind = keyof typeof KINDS;

/** What one shot showed. */
export interface Result {
  /** `undefined` where the shot does not fit into a transaction. */
  readonly effect: 'allow' | 'deny' | 'require_approval' | undefined;
  readonly kinds: readonly Kind[];
  /** Whether it ran on the runtime, and what it did to the wallet then. */
  readonly ran: boolean;
  readonly harms: readonly string[];
}

const UNREAD: readonly string[] = Object.values(IDLS).map(({ address }) => address);

/** Decides a shot, and runs it where the runtime can: always, or only when it was not denied. */
export function fire(shot: Shot, running: Running | undefined, always = false): Result {
  const facts = factsOf(shot);
  if (facts === undefined) return { effect: undefined, kinds: [], ran: false, harms: [] };
  const kinds: Kind[] = [];
  const { effect } = decideOn(facts, POLICIES.sandbox);
  const passes = effect !== 'deny';
  if (passes && !isPart(shot)) kinds.push('open');
  const isUnread = shot.placement === 'relayed' || UNREAD.includes(shot.candidate.program);
  if (passes && isUnread && decideOn(on('public', facts), POLICIES.public).effect === 'allow')
    kinds.push('public');
  if (running === undefined || !(passes || always)) return { effect, kinds, ran: false, harms: [] };
  const shown = running.show(shot, facts);
  if (shown.failed !== undefined) return { effect, kinds, ran: false, harms: [] };
  const { harms } = shown;
  // What it really did may be what the simulation would have shown.
  const stands = effect === 'allow' && decideOn(shown.facts, POLICIES.sandbox).effect === 'allow';
  if (stands && harms.length > 0) kinds.push('worse');
  return { effect, kinds, ran: true, harms };
}

/** A line of the list without its instruction, and the instruction with its aim. */
const groupOf = (kind: Kind, { stage, placement }: Shot) => `${kind} | ${stage} | ${placement}`;
/** All shots that put something else in one of the places are one entry. */
const nameOf = ({ candidate, aim }: Shot) =>
  aim === undefined ? candidate.name : `${candidate.name}[aimed]`;

/** How one finding is written. */
export const entryOf = (kind: Kind, shot: Shot): string => `${groupOf(kind, shot)} | ${nameOf(shot)}`;

const FILE = 'test/sweep/open.txt';

/** Entries of the list. */
export function readOpenList(): ReadonlySet<string> {
  const lines = readFileSync(FILE, 'utf8').split('\n');
  return new Set(
    lines
      .filter((line) => line !== '' && !line.startsWith('#'))
      .flatMap((line) => {
        const [kind, stage, placement, names = ''] = line.split(' | ');
        return expanded(names.split(' ')).map((name) => [kind, stage, placement, name].join(' | '));
      }),
  );
}

const programOf = (name: string) => name.slice(0, name.indexOf('.'));
const PROGRAMS = new Map<string, string[]>();
for (const { name } of CATALOGUE)
  PROGRAMS.set(programOf(name), [...(PROGRAMS.get(programOf(name)) ?? []), name]);

/** Names with `dbc.*` for all of a program, and `!dbc.swap` for those that are not meant. */
function expanded(names: readonly string[]): string[] {
  const not = new Set(names.filter((name) => name.startsWith('!')).map((name) => name.slice(1)));
  return names
    .flatMap((name) => (name.endsWith('.*') ? (PROGRAMS.get(programOf(name)) ?? []) : [name]))
    .filter((name) => !name.startsWith('!') && !not.has(name));
}

/** The other way round: the shorter of the two ways to say it, program by program. */
function shortened(names: readonly string[]): string[] {
  const written = [...PROGRAMS].flatMap(([program, all]) => {
    const [there, not] = [
      all.filter((name) => names.includes(name)),
      all.filter((name) => !names.includes(name)),
    ];
    return there.length <= not.length + 1 ? there : [`${program}.*`, ...not.map((name) => `!${name}`)];
  });
  return [...written, ...names.filter((name) => name.includes('['))];
}

/** Writes the list anew, one line for each kind, stage and placement. */
export function writeOpenList(entries: Iterable<string>): void {
  const groups = new Map<string, string[]>();
  for (const entry of entries) {
    const at = entry.lastIndexOf(' | ');
    const group = entry.slice(0, at);
    groups.set(group, [...(groups.get(group) ?? []), entry.slice(at + 3)]);
  }
  const head = [
    '# Written by `npm run sweep -- --write`; what each kind means:',
    ...Object.entries(KINDS).map(([kind, means]) => `# ${kind}: ${means}`),
  ];
  const lines = [...groups].map(([group, names]) => `${group} | ${shortened(names).join(' ')}`);
  writeFileSync(FILE, `${[...head, ...lines].join('\n')}\n`);
}
