/** Notes of the ledger about tokens. What a token was registered as: the words given when this home asked the service for its mint. */
import { asRecord } from '../base/record.ts';
import type { Address } from '../transaction/types.ts';

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

/**
 * The note that a wallet holds a token by what this home did: a swap that is final bought it, or a launch that is final
 * made it (T183). A balance says nothing: anybody can send a token to a wallet.
 */
export const heldNote = (network: string, wallet: Address, mint: unknown): string =>
  `held ${JSON.stringify([network, wallet, mint])}`;

/** Parses the note of a registered token. Returns `undefined` for an absent or invalid note. */
export function tokenNames(note: string | undefined): TokenNames | undefined {
  try {
    const { name, symbol } = asRecord(JSON.parse(note ?? ''));
    return typeof name === 'string' && typeof symbol === 'string' ? { name, symbol } : undefined;
  } catch {
    return undefined;
  }
}
