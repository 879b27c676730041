/**
 * Layouts of instructions 0 to 24, shared by Token and Token-2022. Batch, UnwrapLamports and WithdrawExcessLamports are
 * deliberately known only by name (T10). The signers of a multisig authority follow in `rest`.
 */
import {
  address,
  lastItems,
  lastOptionalAddress,
  lastText,
  oneOf,
  u8,
  u16,
  u64,
} from '../../transaction/codecs.ts';
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '../../transaction/programs.ts';
import { defineLayout } from '../layout.ts';
import { namedBy } from '../program.ts';

const program = [TOKEN_PROGRAM, TOKEN_2022_PROGRAM];
const rest = 'signer';
const amount = { amount: u64 };
const checked = { amount: u64, decimals: u8 };

/** Authority types of `token.setAuthority`; Token supports the first four, Token-2022 all. */
export const AUTHORITY_TYPES = [
  'mintTokens',
  'freezeAccount',
  'accountOwner',
  'closeAccount',
  'transferFeeConfig',
  'withheldWithdraw',
  'closeMint',
  'interestRate',
  'permanentDelegate',
  'confidentialTransferMint',
  'transferHookProgramId',
  'confidentialTransferFeeConfig',
  'metadataPointer',
  'groupPointer',
  'groupMemberPointer',
  'scaledUiAmount',
  'pause',
] as const;

export const tokenLayouts = [
  defineLayout('token.initializeMint', {
    program,
    discriminator: [0],
    accounts: { mint: 'writable', rent: 'readonly' },
    args: { decimals: u8, mintAuthority: address, freezeAuthority: lastOptionalAddress },
  }),
  defineLayout('token.initializeAccount', {
    program,
    discriminator: [1],
    accounts: { account: 'writable', mint: 'readonly', owner: 'readonly', rent: 'readonly' },
  }),
  defineLayout('token.initializeMultisig', {
    program,
    discriminator: [2],
    accounts: { multisig: 'writable', rent: 'readonly' },
    args: { required: u8 },
    rest: 'readonly',
  }),
  defineLayout('token.transfer', {
    program,
    discriminator: [3],
    accounts: { source: 'writable', destination: 'writable', authority: 'signer' },
    args: amount,
    rest,
  }),
  defineLayout('token.approve', {
    program,
    discriminator: [4],
    accounts: { source: 'writable', delegate: 'readonly', owner: 'signer' },
    args: amount,
    rest,
  }),
  defineLayout('token.revoke', {
    program,
    discriminator: [5],
    accounts: { source: 'writable', owner: 'signer' },
    rest,
  }),
  defineLayout('token.setAuthority', {
    program,
    discriminator: [6],
    accounts: { owned: 'writable', authority: 'signer' },
    args: { authorityType: oneOf(AUTHORITY_TYPES), newAuthority: lastOptionalAddress },
    rest,
  }),
  defineLayout('token.mintTo', {
    program,
    discriminator: [7],
    accounts: { mint: 'writable', account: 'writable', mintAuthority: 'signer' },
    args: amount,
    rest,
  }),
  defineLayout('token.burn', {
    program,
    discriminator: [8],
    accounts: { account: 'writable', mint: 'writable', authority: 'signer' },
    args: amount,
    rest,
  }),
  defineLayout('token.closeAccount', {
    program,
    discriminator: [9],
    accounts: { account: 'writable', destination: 'writable', owner: 'signer' },
    rest,
  }),
  defineLayout('token.freezeAccount', {
    program,
    discriminator: [10],
    accounts: { account: 'writable', mint: 'readonly', freezeAuthority: 'signer' },
    rest,
  }),
  defineLayout('token.thawAccount', {
    program,
    discriminator: [11],
    accounts: { account: 'writable', mint: 'readonly', freezeAuthority: 'signer' },
    rest,
  }),
  defineLayout('token.transferChecked', {
    program,
    discriminator: [12],
    accounts: { source: 'writable', mint: 'readonly', destination: 'writable', authority: 'signer' },
    args: checked,
    rest,
  }),
  defineLayout('token.approveChecked', {
    program,
    discriminator: [13],
    accounts: { source: 'writable', mint: 'readonly', delegate: 'readonly', owner: 'signer' },
    args: checked,
    rest,
  }),
  defineLayout('token.mintToChecked', {
    program,
    discriminator: [14],
    accounts: { mint: 'writable', account: 'writable', mintAuthority: 'signer' },
    args: checked,
    rest,
  }),
  defineLayout('token.burnChecked', {
    program,
    discriminator: [15],
    accounts: { account: 'writable', mint: 'writable', authority: 'signer' },
    args: checked,
    rest,
  }),
  defineLayout('token.initializeAccount2', {
    program,
    discriminator: [16],
    accounts: { account: 'writable', mint: 'readonly', rent: 'readonly' },
    args: { owner: address },
  }),
  defineLayout('token.syncNative', {
    program,
    discriminator: [17],
    accounts: { account: 'writable', rent: 'readonly?' },
  }),
  defineLayout('token.initializeAccount3', {
    program,
    discriminator: [18],
    accounts: { account: 'writable', mint: 'readonly' },
    args: { owner: address },
  }),
  defineLayout('token.initializeMultisig2', {
    program,
    discriminator: [19],
    accounts: { multisig: 'writable' },
    args: { required: u8 },
    rest: 'readonly',
  }),
  defineLayout('token.initializeMint2', {
    program,
    discriminator: [20],
    accounts: { mint: 'writable' },
    args: { decimals: u8, mintAuthority: address, freezeAuthority: lastOptionalAddress },
  }),
  defineLayout('token.getAccountDataSize', {
    program,
    discriminator: [21],
    accounts: { mint: 'readonly' },
    // Only Token-2022 accepts extension numbers.
    args: { extensions: lastItems(u16) },
  }),
  defineLayout('token.initializeImmutableOwner', {
    program,
    discriminator: [22],
    accounts: { account: 'writable' },
  }),
  defineLayout('token.amountToUiAmount', {
    program,
    discriminator: [23],
    accounts: { mint: 'readonly' },
    args: amount,
  }),
  defineLayout('token.uiAmountToAmount', {
    program,
    discriminator: [24],
    accounts: { mint: 'readonly' },
    args: { uiAmount: lastText },
  }),
];

export const tokenNamed = namedBy([
  ['WithdrawExcessLamports', 38],
  ['UnwrapLamports', 45],
  ['Batch', 255],
]);
