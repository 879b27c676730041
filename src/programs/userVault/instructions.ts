/** Layouts of the vault program of Bags: each wallet's earned fees are held in token accounts of its vault. */
import { ASSOCIATED_TOKEN_PROGRAM, SYSTEM_PROGRAM, TOKEN_PROGRAMS } from '../../transaction/programs.ts';
import type { Address } from '../../transaction/types.ts';
import { bareAnchorLayout } from '../anchor.ts';
import { derivedAddress, text } from '../derived.ts';
import { associated, derived, fixed, oneAmong } from '../roles.ts';

export const USER_VAULT_PROGRAM = 'BANKjMoSxHmETcmAJXuh6kBvF2TN2UJ4UerJM8q1BqyC';

/** Returns the address of a wallet's vault, one for all tokens. */
export const userVaultAddress = (user: Address): Address =>
  derivedAddress(USER_VAULT_PROGRAM, [{ text: 'user_vault' }, user]);

const program = USER_VAULT_PROGRAM;
const userVault = derived('writable', program, [text('user_vault'), 'user']);
const systemProgram = fixed('readonly', SYSTEM_PROGRAM);

export const userVaultLayouts = [
  bareAnchorLayout('userVault.claimFromUserVault', {
    program,
    accounts: {
      user: 'signer',
      payer: 'writableSigner',
      userVault,
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
    accounts: { user: 'readonly', payer: 'writableSigner', userVault, systemProgram },
  }),
  bareAnchorLayout('userVault.closeUserVault', {
    program,
    accounts: { user: 'writableSigner', userVault },
  }),
];
