/** Plan notes about tokens. `TokenNames`: name and symbol that this home registered with the service. */
import { asRecord } from '../base/record.ts';
import type { Address } from '../transaction/types.ts';

export interface TokenNames {
  readonly name: string;
  readonly symbol: string;
}

/**
 * Returns the key of the note with a token's registered names. Keys are per principal, so that names from one agent never
 * appear in approval requests about another agent's plan (T123).
 */
export const tokenNote = (mint: string, principal: string | undefined): string =>
  `token ${principal === undefined ? mint : JSON.stringify([principal, mint])}`;

/**
 * Returns the key of the note that this home bought or launched a token in a finalized operation (T183). A balance is no
 * evidence, because anyone can send tokens to a wallet.
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
