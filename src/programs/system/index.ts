import { SYSTEM_PROGRAM } from '../../transaction/programs.ts';
import { defineProgram } from '../program.ts';
import { systemActs } from './acts.ts';
import { systemLayouts } from './instructions.ts';

export const system = defineProgram({
  name: 'System',
  addresses: [SYSTEM_PROGRAM],
  source: 'the runtime; compared with the clients @solana-program/system and web3.js',
  layouts: systemLayouts,
  acts: systemActs,
});
