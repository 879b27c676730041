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

/** Rules of a mint: a creator in its metadata, and other fields of it. */
export const [METADATA_CREATOR, METADATA_FIELDS] = ['creator in the metadata', 'fields of the metadata'];

/** Values of a fungible token without creators, royalties and uses. */
const USUAL: readonly unknown[] = [null, 0, false, 'fungible'];

/** Returns the acts of the other fields: one for each creator, and one for the rest, if any is unusual. */
function otherFields({ accounts, args }: Created): readonly Act[] {
  const { name, symbol, uri, isMutable, creators, ...others } = args;
  const rule = (of: string, values: Readonly<Record<string, unknown>>): Act => ({
    ...{ act: 'mintRule', mint: accounts.mint.address, rule: of, values },
  });
  const { decimals: _, ...rest } = { decimals: null, ...others };
  const unusual = Object.entries(rest).filter(([, value]) => !USUAL.includes(value));
  return [
    ...(creators ?? []).map((creator) => rule(METADATA_CREATOR, creator)),
    ...(unusual.length === 0 ? [] : [rule(METADATA_FIELDS, Object.fromEntries(unusual))]),
  ];
}

export const tokenMetadata = defineProgram({
  name: 'Metaplex Token Metadata',
  addresses: [METADATA_PROGRAM],
  source:
    'the public client @metaplex-foundation/mpl-token-metadata 3.4.0; its fee was seen in the real program',
  layouts: tokenMetadataProgramLayouts,
  named: tokenMetadataNamed,
  acts: {
    'metaplex.createMetadataAccountV3': (instruction) => [metadata(instruction), ...otherFields(instruction)],
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
      return [...(accounts.mint.signer ? [created] : []), metadata(instruction), ...otherFields(instruction)];
    },
  },
});
