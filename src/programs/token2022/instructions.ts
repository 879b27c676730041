/**
 * Layouts of the Token-2022 instructions that launches and claims may use. Discriminators are the extension and its
 * instruction. Confidential transfers and groups are known only by name (T30).
 */
import {
  address,
  bool,
  type Codec,
  i16,
  lastItems,
  lastOptionalAddress,
  nonZeroAddress,
  oneOf,
  option,
  text32,
  u8,
  u16,
  u64,
} from '../../transaction/codecs.ts';
import { TOKEN_2022_PROGRAM } from '../../transaction/programs.ts';
import { defineLayout } from '../layout.ts';
import { namedBy } from '../program.ts';

const program = TOKEN_2022_PROGRAM;
const mint = { mint: 'writable' } as const;
const mintAuthority = { mint: 'writable', authority: 'signer' } as const;
const accountOwner = { account: 'writable', owner: 'signer' } as const;
const rest = 'signer';

/** States of a token account, in byte order. */
export const ACCOUNT_STATES = ['uninitialized', 'initialized', 'frozen'] as const;

export const token2022Layouts = [
  defineLayout('mintCloseAuthority.initialize', {
    program,
    discriminator: [25],
    accounts: mint,
    args: { closeAuthority: lastOptionalAddress },
  }),
  defineLayout('transferFee.initializeConfig', {
    program,
    discriminator: [26, 0],
    accounts: mint,
    args: {
      configAuthority: option(address),
      withdrawWithheldAuthority: option(address),
      basisPoints: u16,
      maximumFee: u64,
    },
  }),
  defineLayout('transferFee.transferCheckedWithFee', {
    program,
    discriminator: [26, 1],
    accounts: { source: 'writable', mint: 'readonly', destination: 'writable', authority: 'signer' },
    args: { amount: u64, decimals: u8, fee: u64 },
    rest,
  }),
  defineLayout('transferFee.withdrawWithheldFromMint', {
    program,
    discriminator: [26, 2],
    accounts: { mint: 'writable', destination: 'writable', authority: 'signer' },
    rest,
  }),
  // `rest`: multisig signers, then `sources` writable token accounts.
  defineLayout('transferFee.withdrawWithheldFromAccounts', {
    program,
    discriminator: [26, 3],
    accounts: { mint: 'readonly', destination: 'writable', authority: 'signer' },
    args: { sources: u8 },
    rest: 'writable',
  }),
  defineLayout('transferFee.harvest', { program, discriminator: [26, 4], accounts: mint, rest: 'writable' }),
  defineLayout('transferFee.setTransferFee', {
    program,
    discriminator: [26, 5],
    accounts: mintAuthority,
    args: { basisPoints: u16, maximumFee: u64 },
    rest,
  }),
  defineLayout('defaultAccountState.initialize', {
    program,
    discriminator: [28, 0],
    accounts: mint,
    args: { state: oneOf(ACCOUNT_STATES) },
  }),
  defineLayout('defaultAccountState.update', {
    program,
    discriminator: [28, 1],
    accounts: mintAuthority,
    args: { state: oneOf(ACCOUNT_STATES) },
    rest,
  }),
  defineLayout('token.reallocate', {
    program,
    discriminator: [29],
    accounts: { account: 'writable', payer: 'writableSigner', systemProgram: 'readonly', owner: 'signer' },
    args: { extensions: lastItems(u16) },
    rest,
  }),
  defineLayout('memoTransfer.enable', { program, discriminator: [30, 0], accounts: accountOwner, rest }),
  defineLayout('memoTransfer.disable', { program, discriminator: [30, 1], accounts: accountOwner, rest }),
  defineLayout('token.createNativeMint', {
    program,
    discriminator: [31],
    accounts: { payer: 'writableSigner', nativeMint: 'writable', systemProgram: 'readonly' },
  }),
  defineLayout('nonTransferable.initialize', { program, discriminator: [32], accounts: mint }),
  defineLayout('interestBearing.initialize', {
    program,
    discriminator: [33, 0],
    accounts: mint,
    args: { rateAuthority: nonZeroAddress, rate: i16 },
  }),
  defineLayout('interestBearing.updateRate', {
    program,
    discriminator: [33, 1],
    accounts: mintAuthority,
    args: { rate: i16 },
    rest,
  }),
  defineLayout('cpiGuard.enable', { program, discriminator: [34, 0], accounts: accountOwner, rest }),
  defineLayout('cpiGuard.disable', { program, discriminator: [34, 1], accounts: accountOwner, rest }),
  defineLayout('permanentDelegate.initialize', {
    program,
    discriminator: [35],
    accounts: mint,
    args: { delegate: address },
  }),
  defineLayout('transferHook.initialize', {
    program,
    discriminator: [36, 0],
    accounts: mint,
    args: { authority: nonZeroAddress, hookProgram: nonZeroAddress },
  }),
  defineLayout('transferHook.update', {
    program,
    discriminator: [36, 1],
    accounts: mintAuthority,
    args: { hookProgram: nonZeroAddress },
    rest,
  }),
  defineLayout('metadataPointer.initialize', {
    program,
    discriminator: [39, 0],
    accounts: mint,
    args: { authority: nonZeroAddress, metadataAddress: nonZeroAddress },
  }),
  defineLayout('metadataPointer.update', {
    program,
    discriminator: [39, 1],
    accounts: mintAuthority,
    args: { metadataAddress: nonZeroAddress },
    rest,
  }),
  defineLayout('pausable.initialize', {
    program,
    discriminator: [44, 0],
    accounts: mint,
    args: { authority: address },
  }),
  defineLayout('pausable.pause', { program, discriminator: [44, 1], accounts: mintAuthority, rest }),
  defineLayout('pausable.resume', { program, discriminator: [44, 2], accounts: mintAuthority, rest }),
];

export const token2022Named = namedBy([
  ['ConfidentialTransferExtension', 27],
  ['ConfidentialTransferFeeExtension', 37],
  ['GroupPointerExtension', 40],
  ['GroupMemberPointerExtension', 41],
  ['ConfidentialMintBurnExtension', 42],
  ['ScaledUiAmountExtension', 43],
]);

const FIELDS = ['name', 'symbol', 'uri', 'key'] as const;

/** A metadata field: a standard field, or a key of the additional metadata. */
export type MetadataField = { readonly field: 'name' | 'symbol' | 'uri' } | { readonly key: string };

const metadataField: Codec<MetadataField> = {
  read: (r) => {
    const field = oneOf(FIELDS).read(r);
    return field === 'key' ? { key: text32.read(r) } : { field };
  },
  write: (w, v) => {
    oneOf(FIELDS).write(w, 'key' in v ? 'key' : v.field);
    if ('key' in v) text32.write(w, v.key);
  },
};

/**
 * Layouts of the token metadata interface in Token-2022. Discriminators are the first eight bytes of the SHA-256 of
 * `spl_token_metadata_interface:` and the instruction's name.
 */
export const tokenMetadataLayouts = [
  defineLayout('tokenMetadata.initialize', {
    program,
    discriminator: [210, 225, 30, 162, 88, 184, 77, 141],
    accounts: {
      metadata: 'writable',
      updateAuthority: 'readonly',
      mint: 'readonly',
      mintAuthority: 'signer',
    },
    args: { name: text32, symbol: text32, uri: text32 },
  }),
  // `rest`: accounts that the program ignores.
  defineLayout('tokenMetadata.updateField', {
    program,
    discriminator: [221, 233, 49, 45, 181, 202, 220, 200],
    accounts: { metadata: 'writable', updateAuthority: 'signer' },
    args: { field: metadataField, value: text32 },
    rest: 'readonly',
  }),
  defineLayout('tokenMetadata.removeKey', {
    program,
    discriminator: [234, 18, 32, 56, 89, 141, 37, 181],
    accounts: { metadata: 'writable', updateAuthority: 'signer' },
    args: { idempotent: bool, key: text32 },
  }),
  defineLayout('tokenMetadata.updateAuthority', {
    program,
    discriminator: [215, 228, 166, 228, 84, 100, 86, 123],
    accounts: { metadata: 'writable', updateAuthority: 'signer' },
    args: { newAuthority: nonZeroAddress },
  }),
  defineLayout('tokenMetadata.emit', {
    program,
    discriminator: [250, 166, 180, 250, 13, 12, 184, 70],
    accounts: { metadata: 'readonly' },
    args: { start: option(u64), end: option(u64) },
  }),
];
