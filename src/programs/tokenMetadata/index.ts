/** Metaplex Token Metadata: what each instruction does. */
import type { Act } from '../acts.ts';
import { defineProgram, type InstructionIn } from '../program.ts';
import { METADATA_FEE, METADATA_PROGRAM } from './addresses.ts';
import { tokenMetadataNamed, tokenMetadataProgramLayouts } from './instructions.ts';

type Created = InstructionIn<
  typeof tokenMetadataProgramLayouts,
  'metaplex.createMetadataAccountV3' | 'metaplex.createV1'
>;

const metadata = ({ accounts, args }: Created): Act => ({
  act: 'setMetadata',
  mint: accounts.mint.address,
  name: args.name,
  symbol: args.symbol,
  uri: args.uri,
  updateAuthority: accounts.updateAuthority.address,
  mutable: args.isMutable,
  metadata: accounts.metadata.address,
  payer: accounts.payer.address,
  surcharge: METADATA_FEE,
});

export const tokenMetadata = defineProgram({
  name: 'Metaplex Token Metadata',
  addresses: [METADATA_PROGRAM],
  source:
    'the public client @metaplex-foundation/mpl-token-metadata 3.4.0; its fee was seen in the real program',
  layouts: tokenMetadataProgramLayouts,
  named: tokenMetadataNamed,
  acts: {
    'metaplex.createMetadataAccountV3': (instruction) => [metadata(instruction)],
    'metaplex.createV1': (instruction) => {
      const { accounts, args } = instruction;
      const authority = accounts.authority.address;
      const created: Act = {
        act: 'createMint',
        mint: accounts.mint.address,
        decimals: args.decimals ?? 0,
        mintAuthority: authority,
        freezeAuthority: authority,
      };
      return [...(accounts.mint.signer ? [created] : []), metadata(instruction)];
    },
  },
});
