import { defineProgram } from '../program.ts';
import { feeShareAccounts } from './accounts.ts';
import { feeShareActs } from './acts.ts';
import { FEE_SHARE_PROGRAM } from './addresses.ts';
import { feeShareLayouts, feeShareNamed } from './instructions.ts';

export const feeShare = defineProgram({
  name: 'Bags fee share v2',
  addresses: [FEE_SHARE_PROGRAM],
  source: 'the public interface 2.4.0 in @bagsfm/bags-sdk 1.3.7; the program itself has not been run',
  layouts: feeShareLayouts,
  acts: feeShareActs,
  named: feeShareNamed,
  accounts: feeShareAccounts,
});
