/**
 * What came of a form, kept until the page after it is shown: every form is answered with another address, so that
 * reloading never sends it again. A notice is shown once and named by a random word, which says nothing by itself.
 */
import { randomBytes } from 'node:crypto';
import type { Notice } from './layout.ts';

/** Notices that were never fetched are forgotten, the oldest first. */
const MAX_KEPT = 16;

export interface Notices {
  /** Keeps a notice and returns the query that shows it: `said=…`. */
  keep(notice: Notice): string;
  /** The notice a query names, once. */
  take(query: string | undefined): Notice | undefined;
}

export function createNotices(): Notices {
  const kept = new Map<string, Notice>();
  return {
    keep: (notice) => {
      const query = `said=${randomBytes(12).toString('base64url')}`;
      kept.set(query, notice);
      const [oldest] = kept.keys();
      if (kept.size > MAX_KEPT && oldest !== undefined) kept.delete(oldest);
      return query;
    },
    take: (query) => {
      const notice = query === undefined ? undefined : kept.get(query);
      if (query !== undefined) kept.delete(query);
      return notice;
    },
  };
}
