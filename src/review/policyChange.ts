/** One difference between two policy files, and which way it goes. */
import type { Policy } from '../policy/file/schema.ts';

/** `wider` lets the agent do more, `narrower` less; `other` cannot be told from one line alone. */
export type Way = 'wider' | 'narrower' | 'other';

/** One change. */
export interface PolicyChange {
  /** The part of the file, such as `limits`. */
  readonly part: keyof Policy;
  readonly way: Way;
  readonly text: string;
}

/** More of something is wider; less is narrower. */
export const more = (was: bigint | number, is: bigint | number): Way => (is > was ? 'wider' : 'narrower');

/** Changes of a list whose entries are known by one of their fields: what is gone, then what is new or another. */
export const changesOf = <T>(
  [was, is]: readonly [readonly T[], readonly T[]],
  key: keyof T,
  gone: (entry: T) => PolicyChange,
  added: (entry: T) => PolicyChange,
  kept: (was: T, is: T) => readonly PolicyChange[],
): PolicyChange[] => [
  ...was.filter((entry) => is.every((other) => other[key] !== entry[key])).map(gone),
  ...is.flatMap((entry) => {
    const known = was.find((other) => other[key] === entry[key]);
    return known === undefined ? added(entry) : kept(known, entry);
  }),
];
