import { MEMO_PROGRAMS } from '../../transaction/programs.ts';
import { defineProgram } from '../program.ts';
import { memoActs } from './acts.ts';
import { memoLayouts } from './instructions.ts';

export const memo = defineProgram({
  name: 'Memo',
  addresses: MEMO_PROGRAMS,
  source: 'the programs themselves',
  layouts: memoLayouts,
  acts: memoActs,
});
