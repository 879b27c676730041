/** Layouts of the System program's instructions 0 to 12, with 32-bit discriminators. Newer ones are unknown. */
import { address, text64, u64 } from '../../transaction/codecs.ts';
import { SYSTEM_PROGRAM } from '../../transaction/programs.ts';
import { defineLayout } from '../layout.ts';

const program = SYSTEM_PROGRAM;
const rest = 'reference';

export const systemLayouts = [
  defineLayout('system.createAccount', {
    program,
    rest,
    discriminator: [0, 0, 0, 0],
    accounts: { payer: 'writableSigner', newAccount: 'writableSigner' },
    args: { lamports: u64, space: u64, owner: address },
  }),
  defineLayout('system.assign', {
    program,
    rest,
    discriminator: [1, 0, 0, 0],
    accounts: { account: 'writableSigner' },
    args: { owner: address },
  }),
  defineLayout('system.transfer', {
    program,
    rest,
    discriminator: [2, 0, 0, 0],
    accounts: { from: 'writableSigner', to: 'writable' },
    args: { lamports: u64 },
  }),
  defineLayout('system.createAccountWithSeed', {
    program,
    rest,
    discriminator: [3, 0, 0, 0],
    // `base` is omitted if the payer is the base.
    accounts: { payer: 'writableSigner', newAccount: 'writable', base: 'signer?' },
    args: { base: address, seed: text64, lamports: u64, space: u64, owner: address },
  }),
  defineLayout('system.advanceNonceAccount', {
    program,
    rest,
    discriminator: [4, 0, 0, 0],
    accounts: { nonce: 'writable', recentBlockhashes: 'readonly', authority: 'signer' },
  }),
  defineLayout('system.withdrawNonceAccount', {
    program,
    rest,
    discriminator: [5, 0, 0, 0],
    accounts: {
      nonce: 'writable',
      to: 'writable',
      recentBlockhashes: 'readonly',
      rent: 'readonly',
      authority: 'signer',
    },
    args: { lamports: u64 },
  }),
  defineLayout('system.initializeNonceAccount', {
    program,
    rest,
    discriminator: [6, 0, 0, 0],
    accounts: { nonce: 'writable', recentBlockhashes: 'readonly', rent: 'readonly' },
    args: { authority: address },
  }),
  defineLayout('system.authorizeNonceAccount', {
    program,
    rest,
    discriminator: [7, 0, 0, 0],
    accounts: { nonce: 'writable', authority: 'signer' },
    args: { newAuthority: address },
  }),
  defineLayout('system.allocate', {
    program,
    rest,
    discriminator: [8, 0, 0, 0],
    accounts: { account: 'writableSigner' },
    args: { space: u64 },
  }),
  defineLayout('system.allocateWithSeed', {
    program,
    rest,
    discriminator: [9, 0, 0, 0],
    accounts: { account: 'writable', base: 'signer' },
    args: { base: address, seed: text64, space: u64, owner: address },
  }),
  defineLayout('system.assignWithSeed', {
    program,
    rest,
    discriminator: [10, 0, 0, 0],
    accounts: { account: 'writable', base: 'signer' },
    args: { base: address, seed: text64, owner: address },
  }),
  defineLayout('system.transferWithSeed', {
    program,
    rest,
    discriminator: [11, 0, 0, 0],
    accounts: { from: 'writable', base: 'signer', to: 'writable' },
    args: { lamports: u64, seed: text64, fromOwner: address },
  }),
  defineLayout('system.upgradeNonceAccount', {
    program,
    rest,
    discriminator: [12, 0, 0, 0],
    accounts: { nonce: 'writable' },
  }),
];
