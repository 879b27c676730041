/** What a token was registered as: the words given when this home asked the service for its mint. */
import { asRecord } from '../base/record.ts';

export interface TokenNames {
  readonly name: string;
  readonly symbol: string;
}

/**
 * The note under which the ledger keeps what an agent called a token when it registered it. Each principal of a server has
 * its own: what one agent says names nothing in a question about another one's plan (T123).
 */
export const tokenNote = (mint: string, principal: string | undefined): string =>
  `token ${principal === undefined ? mint : JSON.stringify([principal, mint])}`;

/** The names that such a note holds; `undefined` where there is none, or none that can be read. */
export function tokenNames(note: string | undefined): TokenNames | undefined {
  try {
    const { name, symbol } = asRecord(JSON.parse(note ?? ''));
    return typeof name === 'string' && typeof symbol === 'string' ? { name, symbol } : undefined;
  } catch {
    return undefined;
  }
}
