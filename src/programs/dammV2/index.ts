import { defineProgram } from '../program.ts';
import { dammV2Accounts } from './accounts.ts';
import { dammV2Acts } from './acts.ts';
import { DAMM_V2_PROGRAM } from './addresses.ts';
import { dammV2Layouts, dammV2Named } from './instructions.ts';

export const dammV2 = defineProgram({
  name: 'Meteora DAMM v2',
  addresses: [DAMM_V2_PROGRAM],
  source:
    'the public interface 0.2.5 in @meteora-ag/cp-amm-sdk 1.5.0; addresses and accounts were compared with the real program',
  layouts: dammV2Layouts,
  acts: dammV2Acts,
  named: dammV2Named,
  accounts: dammV2Accounts,
});
