import { TOKEN_PROGRAMS } from '../../transaction/programs.ts';
import { defineProgram } from '../program.ts';
import { tokenActs } from './acts.ts';
import { tokenLayouts, tokenNamed } from './instructions.ts';

export const token = defineProgram({
  name: 'Token and Token-2022',
  addresses: TOKEN_PROGRAMS,
  source: 'the programs themselves; compared with the client @solana-program/token',
  layouts: tokenLayouts,
  acts: tokenActs,
  named: tokenNamed,
});
