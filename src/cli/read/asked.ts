/** What a plan of this home was asked with, for comparing it with what its transactions do. Pure. */
import { isRecord } from '../../base/record.ts';
import type { Plan } from '../../plan/types.ts';
import type { Address } from '../../transaction/types.ts';

export interface Asked {
  /** The field of the request that names an address; `undefined` where none does. */
  fieldOf(address: Address): string | undefined;
  /** The share the request gives an earner, in basis points. */
  shareOf(address: Address): number | undefined;
  /** The settings of a pool that the request names. */
  readonly settings?: Address;
  /** What the service's answer states as its fee for a trade, in base units of what it takes. */
  readonly fee?: bigint;
}

/** The request and the answer of a plan. */
export function askedOf({ request, answer }: Pick<Plan, 'request' | 'answer'>): Asked {
  const { configKey, claimersArray, basisPointsArray } = request.fields;
  const { feeLamports } = answer;
  return {
    fieldOf: (address) => Object.keys(request.fields).find((name) => holds(request.fields[name], address)),
    shareOf: (address) => {
      if (!Array.isArray(claimersArray) || !Array.isArray(basisPointsArray)) return undefined;
      const share: unknown = basisPointsArray[claimersArray.indexOf(address)];
      return typeof share === 'number' ? share : undefined;
    },
    ...(typeof configKey === 'string' ? { settings: configKey } : {}),
    ...(typeof feeLamports === 'string' && /^\d+$/.test(feeLamports) ? { fee: BigInt(feeLamports) } : {}),
  };
}

function holds(value: unknown, address: Address): boolean {
  if (Array.isArray(value)) return value.some((each) => holds(each, address));
  if (isRecord(value)) return Object.values(value).some((each) => holds(each, address));
  return value === address;
}
