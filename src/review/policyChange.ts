/** A difference between two policy files, with its direction. */
import type { Policy } from '../policy/file/schema.ts';

/** `wider` permits more, `narrower` less; `other` is undetermined by the line alone. */
export type Way = 'wider' | 'narrower' | 'other';

/** One change. */
export interface PolicyChange {
  /** The part of the file, such as `limits`. */
  readonly part: keyof Policy;
  readonly way: Way;
  readonly text: string;
}

/** Returns the direction of a number: more is wider, less is narrower. */
export const more = (was: bigint | number, is: bigint | number): Way => (is > was ? 'wider' : 'narrower');

/** Returns the changes of a list whose entries have a key field: removed entries, then added and changed ones. */
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
