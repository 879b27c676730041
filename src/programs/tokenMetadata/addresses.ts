/** Addresses of Metaplex Token Metadata. */
import type { Address } from '../../transaction/types.ts';
import { derivedAddress } from '../derived.ts';

export const METADATA_PROGRAM = 'metaqbxxUerdq28cj1RbAWkYQm3ybzjb6a8bt518x1s';
/** Lamports the program takes above rent for each metadata account it makes. */
export const METADATA_FEE = 10_000_000n;
/** Bytes of each metadata account. */
export const METADATA_BYTES = 679;

/** The metadata account of a mint. */
export const metadataAddress = (mint: Address): Address =>
  derivedAddress(METADATA_PROGRAM, [{ text: 'metadata' }, METADATA_PROGRAM, mint]);
