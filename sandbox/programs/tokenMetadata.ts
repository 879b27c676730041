/** Token Metadata (Metaplex): a token's name, symbol and URI. */
import { type EncodedInstruction, encodeInstruction } from '../../src/programs/instructions.ts';
import type { Address } from '../../src/transaction/types.ts';

/** Creates a token's metadata (`CreateMetadataAccountV3`). The mint authority and the payer sign. */
export function createMetadata(
  {
    updateAuthoritySigns: signer,
    ...accounts
  }: {
    readonly mint: Address;
    readonly mintAuthority: Address;
    readonly payer: Address;
    readonly updateAuthority: Address;
    /** Whether the update authority signs. */
    readonly updateAuthoritySigns: boolean;
  },
  token: { readonly name: string; readonly symbol: string; readonly uri: string; readonly mutable: boolean },
): EncodedInstruction {
  const { mutable, ...texts } = token;
  return encodeInstruction('metaplex.createMetadataAccountV3', {
    accounts: { ...accounts, updateAuthority: { address: accounts.updateAuthority, signer } },
    args: {
      ...{ ...texts, sellerFeeBasisPoints: 0, creators: null, collection: null, uses: null },
      ...{ isMutable: mutable, collectionDetails: null },
    },
  });
}
