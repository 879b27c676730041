import { ASSOCIATED_TOKEN_PROGRAM } from '../../transaction/programs.ts';
import { defineProgram } from '../program.ts';
import { associatedTokenActs } from './acts.ts';
import { associatedTokenLayouts } from './instructions.ts';

export const associatedToken = defineProgram({
  name: 'Associated Token',
  addresses: [ASSOCIATED_TOKEN_PROGRAM],
  source: 'the program itself; compared with the client @solana-program/token',
  layouts: associatedTokenLayouts,
  acts: associatedTokenActs,
});
