/** The stand-in programs: what stands for which program, and their compiled bytes. */
import { brotliDecompressSync } from 'node:zlib';
import type { Address } from '../../transaction/types.ts';
import {
  DAMM_V2_PROGRAM,
  DBC_PROGRAM,
  FEE_SHARE_PROGRAM,
  METADATA_PROGRAM,
  ROUTER_PROGRAM,
} from './addresses.ts';
import compiled from './standIns.generated.json' with { type: 'json' };

export interface StandIn {
  /** Its file in `sandbox/programs/`, without the ending. */
  readonly source: keyof typeof compiled;
  readonly address: Address;
}

export const STAND_INS: readonly StandIn[] = [
  { source: 'metadata', address: METADATA_PROGRAM },
  { source: 'dbc', address: DBC_PROGRAM },
  { source: 'dammV2', address: DAMM_V2_PROGRAM },
  { source: 'feeShare', address: FEE_SHARE_PROGRAM },
  { source: 'router', address: ROUTER_PROGRAM },
];

/** The bytes of every stand-in by the address it stands at, but for those in `without`. */
export const standInPrograms = (
  without: { has(address: Address): boolean } = new Set(),
): ReadonlyMap<Address, Uint8Array> =>
  new Map(
    STAND_INS.filter(({ address }) => !without.has(address)).map(({ source, address }) => [
      address,
      new Uint8Array(brotliDecompressSync(Buffer.from(compiled[source], 'base64'))),
    ]),
  );
