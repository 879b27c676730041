/** The config that this home asked for, by token: a launch is held to the type that was asked for (T63). */
import { asRecord } from '../base/record.ts';

export interface AskedConfig {
  /** `serviceConfigType`; absent: the default one. */
  readonly type?: string;
  /** `enableFirstSwapWithMinFee`. */
  readonly isFirstSwapCheap: boolean;
  /** The config of the curve, by the answer; `null` for a launch into a pool. */
  readonly configKey: string | null;
}

/** The note under which the ledger keeps it. Each principal of a server has its own. */
export const configNote = (mint: string, principal: string | undefined): string =>
  `config ${principal === undefined ? mint : JSON.stringify([principal, mint])}`;

/** What was asked for, by a request for a config and its answer. */
export function askedConfig(
  { serviceConfigType: type, enableFirstSwapWithMinFee }: Readonly<Record<string, unknown>>,
  { venueConfigKey }: Readonly<Record<string, unknown>>,
): AskedConfig {
  return {
    ...(typeof type === 'string' ? { type } : {}),
    isFirstSwapCheap: enableFirstSwapWithMinFee === true,
    configKey: typeof venueConfigKey === 'string' ? venueConfigKey : null,
  };
}

/** The config that such a note holds; `undefined` where there is none, or none that can be read. */
export function configAsked(note: string | undefined): AskedConfig | undefined {
  try {
    const { type, isFirstSwapCheap, configKey } = asRecord(JSON.parse(note ?? ''));
    if (typeof isFirstSwapCheap !== 'boolean') return undefined;
    return askedConfig(
      { serviceConfigType: type, enableFirstSwapWithMinFee: isFirstSwapCheap },
      { venueConfigKey: configKey },
    );
  } catch {
    return undefined;
  }
}
