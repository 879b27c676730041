/**
 * Layouts of Metaplex Token Metadata, which stores name, symbol and URI of a token in a separate account. The discriminator
 * is one byte, followed by a version byte in newer instructions. From the public client, version 3.4.0.
 */
import {
  address,
  bool,
  bytes,
  list32,
  oneOf,
  option,
  struct,
  text32,
  u8,
  u16,
  u64,
  variants,
} from '../../transaction/codecs.ts';
import {
  SYSTEM_PROGRAM,
  SYSVAR_INSTRUCTIONS,
  SYSVAR_RENT,
  TOKEN_PROGRAMS,
} from '../../transaction/programs.ts';
import { text } from '../derived.ts';
import { defineLayout } from '../layout.ts';
import { namedBy } from '../program.ts';
import { derived, fixed, oneAmong } from '../roles.ts';
import { METADATA_PROGRAM } from './addresses.ts';

const program = METADATA_PROGRAM;

/** The seeds contain the program's address, which need not be an account of the instruction. */
const metadataRole = derived('writable', program, [text('metadata'), { address: program }, 'mint']);
const masterEdition = derived('writable?', program, [
  text('metadata'),
  { address: program },
  'mint',
  text('edition'),
]);

export const TOKEN_STANDARDS = [
  'nonFungible',
  'fungibleAsset',
  'fungible',
  'nonFungibleEdition',
  'programmableNonFungible',
  'programmableNonFungibleEdition',
] as const;

const creators = option(list32(struct({ address, verified: bool, share: u8 })));
export const collection = option(struct({ verified: bool, key: address }));
export const uses = option(
  struct({ useMethod: oneOf(['burn', 'multiple', 'single']), remaining: u64, total: u64 }),
);
export const collectionDetails = option(
  variants({ V1: struct({ size: u64 }), V2: struct({ padding: bytes(8) }) }),
);
const texts = { name: text32, symbol: text32, uri: text32 } as const;
/** First fields of a metadata account. */
export const metadataTexts = { ...texts, sellerFeeBasisPoints: u16, creators } as const;

export const tokenMetadataProgramLayouts = [
  defineLayout('metaplex.createMetadataAccountV3', {
    program,
    discriminator: [33],
    strict: true,
    accounts: {
      metadata: metadataRole,
      mint: 'readonly',
      mintAuthority: 'signer',
      payer: 'writableSigner',
      updateAuthority: 'readonly',
      systemProgram: fixed('readonly', SYSTEM_PROGRAM),
      rent: fixed('readonly?', SYSVAR_RENT),
    },
    omissible: 1,
    args: { ...metadataTexts, collection, uses, isMutable: bool, collectionDetails },
  }),
  defineLayout('metaplex.createV1', {
    program,
    discriminator: [42, 0],
    strict: true,
    accounts: {
      metadata: metadataRole,
      masterEdition,
      mint: 'writable',
      authority: 'signer',
      payer: 'writableSigner',
      updateAuthority: 'readonly',
      systemProgram: fixed('readonly', SYSTEM_PROGRAM),
      sysvarInstructions: fixed('readonly', SYSVAR_INSTRUCTIONS),
      splTokenProgram: oneAmong('readonly?', TOKEN_PROGRAMS),
    },
    args: {
      ...metadataTexts,
      primarySaleHappened: bool,
      isMutable: bool,
      tokenStandard: oneOf(TOKEN_STANDARDS),
      collection,
      uses,
      collectionDetails,
      ruleSet: option(address),
      decimals: option(u8),
      printSupply: option(
        variants({ Zero: struct({}), Limited: struct({ limit: u64 }), Unlimited: struct({}) }),
      ),
    },
    inferred: [
      'who controls a new token: a mint that signs and does not exist is created with the authority as mint and freeze authority',
    ],
  }),
];

/** Unsupported instructions: changes of metadata and its authorities, editions, delegates, transfers and burns. */
export const tokenMetadataNamed = namedBy([
  ['DeprecatedMintNewEditionFromMasterEditionViaPrintingToken', 3],
  ['UpdatePrimarySaleHappenedViaToken', 4],
  ['SignMetadata', 7],
  ['MintNewEditionFromMasterEditionViaToken', 11],
  ['ConvertMasterEditionV1ToV2', 12],
  ['MintNewEditionFromMasterEditionViaVaultProxy', 13],
  ['PuffMetadata', 14],
  ['UpdateMetadataAccountV2', 15],
  ['CreateMasterEditionV3', 17],
  ['VerifyCollection', 18],
  ['Utilize', 19],
  ['ApproveUseAuthority', 20],
  ['RevokeUseAuthority', 21],
  ['UnverifyCollection', 22],
  ['ApproveCollectionAuthority', 23],
  ['RevokeCollectionAuthority', 24],
  ['SetAndVerifyCollection', 25],
  ['FreezeDelegatedAccount', 26],
  ['ThawDelegatedAccount', 27],
  ['RemoveCreatorVerification', 28],
  ['BurnNft', 29],
  ['VerifySizedCollectionItem', 30],
  ['UnverifySizedCollectionItem', 31],
  ['SetAndVerifySizedCollectionItem', 32],
  ['SetCollectionSize', 34],
  ['SetTokenStandard', 35],
  ['BubblegumSetCollectionSize', 36],
  ['BurnEditionNft', 37],
  ['CreateEscrowAccount', 38],
  ['CloseEscrowAccount', 39],
  ['TransferOutOfEscrow', 40],
  ['BurnV1', 41, 0],
  ['MintV1', 43, 0],
  ['DelegateCollectionV1', 44, 0],
  ['DelegateSaleV1', 44, 1],
  ['DelegateTransferV1', 44, 2],
  ['DelegateDataV1', 44, 3],
  ['DelegateUtilityV1', 44, 4],
  ['DelegateStakingV1', 44, 5],
  ['DelegateStandardV1', 44, 6],
  ['DelegateLockedTransferV1', 44, 7],
  ['DelegateProgrammableConfigV1', 44, 8],
  ['DelegateAuthorityItemV1', 44, 9],
  ['DelegateDataItemV1', 44, 10],
  ['DelegateCollectionItemV1', 44, 11],
  ['DelegateProgrammableConfigItemV1', 44, 12],
  ['DelegatePrintDelegateV1', 44, 13],
  ['RevokeCollectionV1', 45, 0],
  ['RevokeSaleV1', 45, 1],
  ['RevokeTransferV1', 45, 2],
  ['RevokeDataV1', 45, 3],
  ['RevokeUtilityV1', 45, 4],
  ['RevokeStakingV1', 45, 5],
  ['RevokeStandardV1', 45, 6],
  ['RevokeLockedTransferV1', 45, 7],
  ['RevokeProgrammableConfigV1', 45, 8],
  ['RevokeMigrationV1', 45, 9],
  ['RevokeAuthorityItemV1', 45, 10],
  ['RevokeDataItemV1', 45, 11],
  ['RevokeCollectionItemV1', 45, 12],
  ['RevokeProgrammableConfigItemV1', 45, 13],
  ['RevokePrintDelegateV1', 45, 14],
  ['LockV1', 46, 0],
  ['UnlockV1', 47, 0],
  ['Migrate', 48],
  ['TransferV1', 49, 0],
  ['UpdateV1', 50, 0],
  ['UpdateAsUpdateAuthorityV2', 50, 1],
  ['UpdateAsAuthorityItemDelegateV2', 50, 2],
  ['UpdateAsCollectionDelegateV2', 50, 3],
  ['UpdateAsDataDelegateV2', 50, 4],
  ['UpdateAsProgrammableConfigDelegateV2', 50, 5],
  ['UpdateAsDataItemDelegateV2', 50, 6],
  ['UpdateAsCollectionItemDelegateV2', 50, 7],
  ['UpdateAsProgrammableConfigItemDelegateV2', 50, 8],
  ['UseV1', 51, 0],
  ['VerifyCreatorV1', 52, 0],
  ['VerifyCollectionV1', 52, 1],
  ['UnverifyCreatorV1', 53, 0],
  ['UnverifyCollectionV1', 53, 1],
  ['Collect', 54],
  ['PrintV1', 55, 0],
  ['PrintV2', 55, 1],
  ['Resize', 56],
  ['CloseAccounts', 57],
]);
