import { defineProgram } from '../program.ts';
import { userVaultActs } from './acts.ts';
import { USER_VAULT_PROGRAM, userVaultLayouts } from './instructions.ts';

export const userVault = defineProgram({
  name: 'Bags vaults',
  addresses: [USER_VAULT_PROGRAM],
  source: 'the interface published by the makers of the program (2026-05-01), which has not been run',
  layouts: userVaultLayouts,
  acts: userVaultActs,
});
