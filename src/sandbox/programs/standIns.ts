/** The stand-in programs: what stands for which program, and their compiled bytes. */
import { brotliDecompressSync } from 'node:zlib';
import type { Address } from '../../transaction/types.ts';
import {
  CUSTODY_PROGRAM,
  DAMM_V2_PROGRAM,
  DBC_PROGRAM,
  EARNINGS_PROGRAM,
  FEE_SHARE_PROGRAM,
  METADATA_PROGRAM,
  QUOTE_SHARE_PROGRAM,
  ROUTER_PROGRAM,
} from './addresses.ts';
import compiled from './standIns.generated.json' with { type: 'json' };

export interface StandIn {
  /** Its file in `sandbox/programs/`, without the ending. */
  readonly source: keyof typeof compiled.sizes;
  readonly address: Address;
}

export const STAND_INS: readonly StandIn[] = [
  { source: 'metadata', address: METADATA_PROGRAM },
  { source: 'dbc', address: DBC_PROGRAM },
  { source: 'dammV2', address: DAMM_V2_PROGRAM },
  { source: 'feeShare', address: FEE_SHARE_PROGRAM },
  { source: 'router', address: ROUTER_PROGRAM },
  // Inventions of the sandbox: the real programs in their place are not published.
  { source: 'quoteShare', address: QUOTE_SHARE_PROGRAM },
  { source: 'custody', address: CUSTODY_PROGRAM },
  { source: 'earnings', address: EARNINGS_PROGRAM },
];

/** The bytes of every stand-in by the address it stands at, but for those in `without`. */
export function standInPrograms(
  without: { has(address: Address): boolean } = new Set(),
): ReadonlyMap<Address, Uint8Array> {
  const code = brotliDecompressSync(Buffer.from(compiled.code, 'base64'));
  const programs = new Map<Address, Uint8Array>();
  let at = 0;
  for (const { source, address } of STAND_INS) {
    const end = at + compiled.sizes[source];
    if (!without.has(address)) programs.set(address, new Uint8Array(code.subarray(at, end)));
    at = end;
  }
  return programs;
}
