import { LOOKUP_TABLE_PROGRAM } from '../../transaction/programs.ts';
import { defineProgram } from '../program.ts';
import { lookupTableActs } from './acts.ts';
import { lookupTableLayouts } from './instructions.ts';

export const lookupTable = defineProgram({
  name: 'Address Lookup Table',
  addresses: [LOOKUP_TABLE_PROGRAM],
  source: 'the runtime; compared with the client web3.js',
  layouts: lookupTableLayouts,
  acts: lookupTableActs,
});
