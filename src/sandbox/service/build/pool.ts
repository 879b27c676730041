/** Instruction lists that make a token and its pool. */

import { LAUNCH_DECIMALS } from '../../../contract/constants.ts';
import type { EncodedInstruction } from '../../../programs/instructions.ts';
import type { Address } from '../../../transaction/types.ts';
import type { ServiceContext } from '../context.ts';
import type { Launch, Venue } from '../state.ts';
import {
  createAta,
  createMetadataMint,
  metadataBytes,
  mintTo,
  POINTER_MINT_BYTES,
  sealMint,
} from './tokens.ts';

/** Creates the token's mint with its metadata. The mint and the launch authority sign. */
export function createTokenMint(
  service: ServiceContext,
  payer: Address,
  launch: Launch,
): EncodedInstruction[] {
  const { name, symbol, uri, tokenMint } = launch;
  return createMetadataMint({
    payer,
    mint: tokenMint,
    authority: service.keys.launchAuthority.address,
    decimals: LAUNCH_DECIMALS,
    name,
    symbol,
    uri,
    lamports: service.onchain.rent(POINTER_MINT_BYTES + metadataBytes(name, symbol, uri, [])),
  });
}

/** Creates both vaults, puts the whole supply into the pool and gives up minting. The launch authority signs. */
export function openPool(service: ServiceContext, payer: Address, venue: Venue): EncodedInstruction[] {
  const authority = service.keys.launchAuthority.address;
  const { baseMint, baseTokenProgram, quoteMint, quoteTokenProgram } = venue;
  return [
    createAta(
      payer,
      venue.authority,
      { mint: baseMint, tokenProgram: baseTokenProgram },
      'associatedToken.create',
    ),
    createAta(
      payer,
      venue.authority,
      { mint: quoteMint, tokenProgram: quoteTokenProgram },
      'associatedToken.create',
    ),
    mintTo(baseTokenProgram, baseMint, venue.baseVault, authority, venue.supply),
    sealMint(baseTokenProgram, baseMint, authority),
  ];
}
