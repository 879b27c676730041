/** Instructions 0 to 12 of the System program, with 32-bit discriminators. Newer ones are unknown. */
import { address, text64, u64 } from '../../transaction/codecs.ts';
import { SYSTEM_PROGRAM } from '../../transaction/programs.ts';
import type { Address } from '../../transaction/types.ts';
import type { Act } from '../acts.ts';
import { defineLayout } from '../layout.ts';
import { defineProgram } from '../program.ts';
import { holder, type View } from '../view.ts';

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

/** Tip addresses of Jito's block builders. A SOL transfer to one of them is a tip. */
export const JITO_TIP_ACCOUNTS: readonly Address[] = [
  '96gYZGLnJYVFmbjzopPSU6QiEV5fGqZNyN9nmNhvrZU5',
  'HFqU5x63VTqvQss8hp11i4wVV8bD44PvwucfZ2bU7gRe',
  'Cw8CFyM9FkoMi7K7Crf6HNQqf4uEMzpKw6QNghXLvLkY',
  'ADaUMid9yfUytqMBgopwjb2DTLSokTSzL1zt6iGPaS49',
  'DfXygSm4jCyNCybVYYK6DwvWqjKee8pbDmJGcLWNDXjh',
  'ADuUkR4vqLUMWXxW9gh6D6L8pMSawimctcNZ5pGwDcEt',
  'DttWaMuVvTiduZRnguLF7jNxTgiMBZ1hyAumKUiL2KRL',
  '3AVi9Tg9Uo68tJfuvoKvqKNWKkC5wPdSSdeBnizKZ6jT',
];

export const isJitoTip = (address: Address): boolean => JITO_TIP_ACCOUNTS.includes(address);

/** Returns the act of a SOL transfer: a tip, or a transfer to the recipient or the owner of the token account. */
function transfer(view: View, from: Address, to: Address, amount: bigint, authority: Address): Act {
  // A transfer from an account that another key controls is never a tip.
  if (isJitoTip(to) && from === authority) return { act: 'tip', from, to, amount };
  const known = holder(view, to);
  const arrives = known.owner === undefined ? { account: to, owner: to } : known;
  return {
    act: 'transfer',
    asset: 'SOL',
    from: { account: from, owner: authority },
    to: arrives,
    amount,
    authority,
  };
}

/** Returns the act of a new account that a program owns. */
const open = (account: Address, owner: Address, payer: Address, deposit: bigint): Act => ({
  act: 'openAccount',
  account,
  kind: 'data',
  owner,
  payer,
  deposit,
});

const assign = (account: Address, to: Address, authority: Address): readonly Act[] =>
  to === SYSTEM_PROGRAM
    ? [{ act: 'nothing', what: 'the account stays with the System program' }]
    : [{ act: 'setRight', right: 'program owner', of: account, to, authority }];

export const system = defineProgram({
  name: 'System',
  addresses: [SYSTEM_PROGRAM],
  source: 'the runtime; compared with the clients @solana-program/system and web3.js',
  layouts: systemLayouts,
  acts: {
    'system.createAccount': ({ accounts, args }) => [
      open(accounts.newAccount.address, args.owner, accounts.payer.address, args.lamports),
    ],
    'system.createAccountWithSeed': ({ accounts, args }) => [
      open(accounts.newAccount.address, args.owner, accounts.payer.address, args.lamports),
    ],
    'system.assign': ({ accounts, args }) =>
      assign(accounts.account.address, args.owner, accounts.account.address),
    'system.assignWithSeed': ({ accounts, args }) =>
      assign(accounts.account.address, args.owner, accounts.base.address),
    'system.allocate': () => [{ act: 'nothing', what: 'allocates space in an account' }],
    'system.allocateWithSeed': ({ accounts, args }) =>
      assign(accounts.account.address, args.owner, accounts.base.address),
    'system.transfer': ({ accounts, args }, view) => [
      transfer(view, accounts.from.address, accounts.to.address, args.lamports, accounts.from.address),
    ],
    'system.transferWithSeed': ({ accounts, args }, view) => [
      transfer(view, accounts.from.address, accounts.to.address, args.lamports, accounts.base.address),
    ],
    'system.advanceNonceAccount': ({ accounts }) => [
      { act: 'useNonce', nonce: accounts.nonce.address, authority: accounts.authority.address },
    ],
    'system.withdrawNonceAccount': ({ accounts, args }, view) => [
      transfer(view, accounts.nonce.address, accounts.to.address, args.lamports, accounts.authority.address),
    ],
    'system.initializeNonceAccount': ({ accounts, args }) => [
      { act: 'openAccount', account: accounts.nonce.address, kind: 'nonce', owner: args.authority },
    ],
    'system.authorizeNonceAccount': ({ accounts, args }) => [
      {
        act: 'setRight',
        right: 'nonce authority',
        of: accounts.nonce.address,
        to: args.newAuthority,
        authority: accounts.authority.address,
      },
    ],
    'system.upgradeNonceAccount': () => [{ act: 'nothing', what: 'upgrades the format of a nonce account' }],
  },
});
