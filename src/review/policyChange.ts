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
