/** Acts of Metaplex Token Metadata instructions. */
import type { Act } from '../acts.ts';
import type { ActsOf } from '../program.ts';
import { METADATA_FEE } from './addresses.ts';
import type { tokenMetadataProgramLayouts } from './instructions.ts';

interface Accounts {
  readonly mint: { readonly address: string };
  readonly metadata: { readonly address: string };
  readonly updateAuthority: { readonly address: string };
  readonly payer: { readonly address: string };
}
interface Args {
  readonly name: string;
  readonly symbol: string;
  readonly uri: string;
  readonly isMutable: boolean;
}

const metadata = ({ mint, metadata: account, updateAuthority, payer }: Accounts, args: Args): Act => ({
  act: 'setMetadata',
  mint: mint.address,
  name: args.name,
  symbol: args.symbol,
  uri: args.uri,
  updateAuthority: updateAuthority.address,
  mutable: args.isMutable,
  metadata: account.address,
  payer: payer.address,
  surcharge: METADATA_FEE,
});

export const tokenMetadataProgramActs: ActsOf<typeof tokenMetadataProgramLayouts> = {
  'metaplex.createMetadataAccountV3': ({ accounts, args }) => [metadata(accounts, args)],
  'metaplex.createV1': ({ accounts, args }) => {
    const authority = accounts.authority.address;
    const created: Act = {
      act: 'createMint',
      mint: accounts.mint.address,
      decimals: args.decimals ?? 0,
      mintAuthority: authority,
      freezeAuthority: authority,
    };
    return [...(accounts.mint.signer ? [created] : []), metadata(accounts, args)];
  },
};
