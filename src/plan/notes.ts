/** Plan notes about tokens: registered names, tokens held before, and requested configs. */
import { asRecord } from '../base/record.ts';
import type { Address } from '../transaction/types.ts';

/** Name and symbol that this home registered with the service. */
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

/** The config that this home requested for a token; the launch must match its type (T63). */

export interface RequestedConfig {
  /** `serviceConfigType`; absent: the default type. */
  readonly type?: string;
  /** `enableFirstSwapWithMinFee`. */
  readonly isFirstSwapCheap: boolean;
  /** Address of the curve's config in the answer; `null` for a pool launch. */
  readonly configKey: string | null;
}

/** Returns the key of the plan note, per principal. */
export const configNote = (mint: string, principal: string | undefined): string =>
  `config ${principal === undefined ? mint : JSON.stringify([principal, mint])}`;

/** Extracts the requested config from a request and its answer. */
export function requestedConfig(
  { serviceConfigType: type, enableFirstSwapWithMinFee }: Readonly<Record<string, unknown>>,
  { venueConfigKey }: Readonly<Record<string, unknown>>,
): RequestedConfig {
  return {
    ...(typeof type === 'string' ? { type } : {}),
    isFirstSwapCheap: enableFirstSwapWithMinFee === true,
    configKey: typeof venueConfigKey === 'string' ? venueConfigKey : null,
  };
}

/** Parses the note of a config. Returns `undefined` for an absent or invalid note. */
export function parseConfigNote(note: string | undefined): RequestedConfig | undefined {
  try {
    const { type, isFirstSwapCheap, configKey } = asRecord(JSON.parse(note ?? ''));
    if (typeof isFirstSwapCheap !== 'boolean') return undefined;
    return requestedConfig(
      { serviceConfigType: type, enableFirstSwapWithMinFee: isFirstSwapCheap },
      { venueConfigKey: configKey },
    );
  } catch {
    return undefined;
  }
}
