/** The config that this home requested for a token; the launch must match its type (T63). */
import { asRecord } from '../base/record.ts';

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
