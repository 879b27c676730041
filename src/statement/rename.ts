/**
 * Canonical numbering of the accounts that a run creates. Two lists of lines get the same text if and only if a renaming of
 * new accounts makes them equal. Colour refinement distinguishes accounts by their lines; ties are broken by trying each
 * account, or only one if the accounts are interchangeable.
 */
import { canonicalJson, sha256Text } from '../base/canonicalJson.ts';
import type { Line, Made } from './types.ts';
import { withoutBigints } from './view.ts';

type Names = (key: string) => unknown;

/** Maximum number of orders tried. Beyond it, equal lists may get different texts, and the owner is asked again. */
const MAX_ORDERS = 200;

export const isMade = (value: unknown): value is Made =>
  typeof value === 'object' && value !== null && 'made' in value && 'n' in value;

const keyOf = ({ made, n }: Made): string => `${made}:${n}`;

/** Replaces every new account in a value. */
export function mapNewAccounts(value: unknown, to: (made: Made) => unknown): unknown {
  if (isMade(value)) return to(value);
  if (Array.isArray(value)) return value.map((each) => mapNewAccounts(each, to));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, mapNewAccounts(each, to)]));
}

/** Returns the text by which a line is compared, without its source. */
export const lineText = (line: Line): string => canonicalJson(withoutBigints(line, 'source'));

/** Returns the lines with canonical numbers. `compared` selects the lines that distinguish accounts. */
export function canonical(
  lines: readonly Line[],
  compared: (lines: readonly Line[]) => readonly Line[],
): Line[] {
  const known = compared(lines).map((line) => withoutBigints(line, 'source'));
  const keys = new Map<string, string>();
  mapNewAccounts(lines, (made) => keys.set(keyOf(made), made.made));
  const order = bestOrder(known, [...keys.keys()], keys, [], { left: MAX_ORDERS }).order;
  const numbers = new Map<string, number>();
  for (const key of order) {
    const kind = keys.get(key);
    numbers.set(key, [...numbers.keys()].filter((each) => keys.get(each) === kind).length);
  }
  const renamed = mapNewAccounts(lines, ({ made, n }) => ({ made, n: numbers.get(keyOf({ made, n })) ?? n }));
  return renamed as Line[]; // only numbers are replaced
}

const textOf = (line: unknown, names: Names): string =>
  canonicalJson(mapNewAccounts(line, (made) => names(keyOf(made))));

interface Found {
  readonly text: string;
  readonly order: readonly string[];
}

function bestOrder(
  lines: readonly unknown[],
  keys: readonly string[],
  kinds: ReadonlyMap<string, string>,
  first: readonly string[],
  budget: { left: number },
): Found {
  const sorted = [...refined(lines, keys, kinds, first)].sort(([, a], [, b]) => (a < b ? -1 : 1));
  const tie = sorted.find(([, colour], i) => colour === sorted[i + 1]?.[1]);
  if (tie === undefined || budget.left <= 0) {
    const order = sorted.map(([key]) => key);
    const names = new Map(order.map((key, i) => [key, `#${i}`]));
    budget.left -= 1;
    const text = lines.map((line) => textOf(line, (key) => names.get(key))).sort();
    return { text: text.join(), order };
  }
  const [one, colour] = tie;
  const tied = sorted.filter(([, each]) => each === colour).map(([key]) => key);
  const candidates = tied.every((key) => isExchangeable(lines, one, key)) ? [one] : tied;
  return candidates
    .map((key) => bestOrder(lines, keys, kinds, [...first, key], budget))
    .reduce((best, each) => (each.text < best.text ? each : best));
}

function refined(
  lines: readonly unknown[],
  keys: readonly string[],
  kinds: ReadonlyMap<string, string>,
  first: readonly string[],
): ReadonlyMap<string, string> {
  let colours = new Map(keys.map((key) => [key, `${kinds.get(key)} ${first.indexOf(key)}`]));
  for (let count = 0; count < new Set(colours.values()).size; ) {
    count = new Set(colours.values()).size;
    const now = colours;
    colours = new Map(
      keys.map((key) => {
        const mine = lines.filter((line) => names(line, key));
        const texts = mine.map((line) => textOf(line, (each) => (each === key ? '*' : now.get(each)))).sort();
        return [key, `${kinds.get(key)} ${sha256Text([now.get(key), ...texts].join('\n'))}`];
      }),
    );
  }
  return colours;
}

function names(line: unknown, key: string): boolean {
  let found = false;
  mapNewAccounts(line, (made) => {
    found ||= keyOf(made) === key;
  });
  return found;
}

function isExchangeable(lines: readonly unknown[], a: string, b: string): boolean {
  const exchanged = (key: string) => (key === a ? b : key === b ? a : key);
  const text = (swap: Names) =>
    lines
      .map((line) => textOf(line, swap))
      .sort()
      .join();
  return text(exchanged) === text((key) => key);
}
