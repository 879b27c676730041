import { defineProgram } from '../program.ts';
import { dbcAccounts } from './accounts.ts';
import { dbcActs } from './acts.ts';
import { DBC_PROGRAM } from './addresses.ts';
import { dbcLayouts, dbcNamed } from './instructions.ts';

export const dbc = defineProgram({
  name: 'Meteora DBC',
  addresses: [DBC_PROGRAM],
  source:
    'the public interface 0.2.1 in @meteora-ag/dynamic-bonding-curve-sdk 1.5.12; addresses and accounts were compared with the real program',
  layouts: dbcLayouts,
  acts: dbcActs,
  named: dbcNamed,
  accounts: dbcAccounts,
});
