/** Addresses of Metaplex Token Metadata. */
import type { Address } from '../../transaction/types.ts';
import { derivedAddress } from '../derived.ts';

export const METADATA_PROGRAM = 'metaqbxxUerdq28cj1RbAWkYQm3ybzjb6a8bt518x1s';
/** Fee in lamports above rent for each new metadata account. */
export const METADATA_FEE = 10_000_000n;
/** Maximum size of a metadata account, in bytes. */
export const METADATA_BYTES = 679;

/** Returns the address of a mint's metadata account. */
export const metadataAddress = (mint: Address): Address =>
  derivedAddress(METADATA_PROGRAM, [{ text: 'metadata' }, METADATA_PROGRAM, mint]);
