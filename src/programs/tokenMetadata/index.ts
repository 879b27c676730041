import { defineProgram } from '../program.ts';
import { tokenMetadataAccounts } from './accounts.ts';
import { tokenMetadataProgramActs } from './acts.ts';
import { METADATA_PROGRAM } from './addresses.ts';
import { tokenMetadataNamed, tokenMetadataProgramLayouts } from './instructions.ts';

export const tokenMetadata = defineProgram({
  name: 'Metaplex Token Metadata',
  addresses: [METADATA_PROGRAM],
  source:
    'the public client @metaplex-foundation/mpl-token-metadata 3.4.0; its fee was seen in the real program',
  layouts: tokenMetadataProgramLayouts,
  acts: tokenMetadataProgramActs,
  named: tokenMetadataNamed,
  accounts: tokenMetadataAccounts,
});
