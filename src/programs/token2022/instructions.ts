/**
 * Layouts of the Token-2022 instructions that launches and claims may use. Discriminators are the extension and its
 * instruction. Confidential transfers and groups are known only by name (T30).
 */
import {
  address,
  i16,
  lastItems,
  lastOptionalAddress,
  nonZeroAddress,
  oneOf,
  option,
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
