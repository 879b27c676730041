/** Acts of the vault program's instructions. */
import type { ActsOf } from '../program.ts';
import { USER_VAULT_PROGRAM, type userVaultLayouts } from './instructions.ts';

export const userVaultActs: ActsOf<typeof userVaultLayouts> = {
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
};
