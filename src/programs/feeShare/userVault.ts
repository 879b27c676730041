/** The vault program of Bags: each wallet's earned fees are held in token accounts of its vault. */
import { ASSOCIATED_TOKEN_PROGRAM, SYSTEM_PROGRAM, TOKEN_PROGRAMS } from '../../transaction/programs.ts';
import type { Address } from '../../transaction/types.ts';
import { bareAnchorLayout } from '../anchor.ts';
import { derivedAddress, text } from '../derived.ts';
import { defineProgram } from '../program.ts';
import { associated, derived, fixed, oneAmong } from '../roles.ts';

export const USER_VAULT_PROGRAM = 'BANKjMoSxHmETcmAJXuh6kBvF2TN2UJ4UerJM8q1BqyC';

/** Returns the address of a wallet's vault, one for all tokens. */
export const userVaultAddress = (user: Address): Address =>
  derivedAddress(USER_VAULT_PROGRAM, [{ text: 'user_vault' }, user]);

const program = USER_VAULT_PROGRAM;
const vault = derived('writable', program, [text('user_vault'), 'user']);
const systemProgram = fixed('readonly', SYSTEM_PROGRAM);

export const userVaultLayouts = [
  bareAnchorLayout('userVault.claimFromUserVault', {
    program,
    accounts: {
      user: 'signer',
      payer: 'writableSigner',
      userVault: vault,
      mint: 'readonly',
      vaultAta: associated('writable', 'userVault', 'tokenProgram', 'mint'),
      userAta: associated('writable', 'user', 'tokenProgram', 'mint'),
      tokenProgram: oneAmong('readonly', TOKEN_PROGRAMS),
      associatedTokenProgram: fixed('readonly', ASSOCIATED_TOKEN_PROGRAM),
      systemProgram,
    },
  }),
  bareAnchorLayout('userVault.createUserVault', {
    program,
    accounts: { user: 'readonly', payer: 'writableSigner', userVault: vault, systemProgram },
  }),
  bareAnchorLayout('userVault.closeUserVault', {
    program,
    accounts: { user: 'writableSigner', userVault: vault },
  }),
];

export const userVault = defineProgram({
  name: 'Bags vaults',
  addresses: [USER_VAULT_PROGRAM],
  source: 'the interface published by the makers of the program (2026-05-01), which has not been run',
  layouts: userVaultLayouts,
  acts: {
    'userVault.claimFromUserVault': ({ accounts: { user, payer, userVault, mint, userAta } }) => [
      {
        act: 'claim',
        what: 'fees in the vault of a wallet',
        from: userVault.address,
        payouts: [{ asset: mint.address, to: { account: userAta.address, owner: user.address } }],
        beneficiary: user.address,
        payer: payer.address,
      },
    ],
    'userVault.createUserVault': ({ accounts: { userVault, payer } }) => [
      {
        act: 'openAccount',
        account: userVault.address,
        kind: 'data',
        owner: USER_VAULT_PROGRAM,
        payer: payer.address,
        deposit: 'rent',
      },
    ],
    'userVault.closeUserVault': ({ accounts: { user, userVault } }) => [
      {
        act: 'closeAccount',
        account: { account: userVault.address },
        refundTo: user.address,
        authority: user.address,
      },
    ],
  },
});
