/** Compiled programs of the sandbox: stand-ins of the service's programs, and programs of attackers. */
import { brotliDecompressSync } from 'node:zlib';
import type { Address } from '../../src/transaction/types.ts';
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

/** A file in `sandbox/programs/c/`, without its ending. */
export type Source = keyof typeof compiled.sizes;

interface StandIn {
  readonly source: Source;
  readonly address: Address;
}

export const STAND_INS: readonly StandIn[] = [
  { source: 'metadata', address: METADATA_PROGRAM },
  { source: 'dbc', address: DBC_PROGRAM },
  { source: 'dammV2', address: DAMM_V2_PROGRAM },
  { source: 'feeShare', address: FEE_SHARE_PROGRAM },
  { source: 'router', address: ROUTER_PROGRAM },
  // Invented for the sandbox, since the originals are not published.
  { source: 'quoteShare', address: QUOTE_SHARE_PROGRAM },
  { source: 'custody', address: CUSTODY_PROGRAM },
  { source: 'earnings', address: EARNINGS_PROGRAM },
];

/** Programs of attackers: one forwards instructions, one does nothing, one does either. */
export const ATTACKING = ['relay', 'harmless', 'twoFaced'] as const satisfies readonly Source[];

/** All compiled programs, in the order of the bytes. */
export const SOURCES: readonly Source[] = [...STAND_INS.map(({ source }) => source), ...ATTACKING];

let programs: ReadonlyMap<Source, Uint8Array> | undefined;

function decompressed(): ReadonlyMap<Source, Uint8Array> {
  const code = brotliDecompressSync(Buffer.from(compiled.code, 'base64'));
  let end = 0;
  return new Map(
    SOURCES.map((source) => {
      const at = end;
      end += compiled.sizes[source];
      return [source, new Uint8Array(code.subarray(at, end))];
    }),
  );
}

/** The bytes of a program. */
export function compiledProgram(source: Source): Uint8Array {
  programs ??= decompressed();
  return programs.get(source) ?? new Uint8Array();
}

/** Returns the bytes of the stand-ins by address, except those in `without`. */
export const standInPrograms = (
  without: { has(address: Address): boolean } = new Set(),
): ReadonlyMap<Address, Uint8Array> =>
  new Map(
    STAND_INS.filter(({ address }) => !without.has(address)).map(({ source, address }) => [
      address,
      compiledProgram(source),
    ]),
  );
