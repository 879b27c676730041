import { COMPUTE_BUDGET_PROGRAM } from '../../transaction/programs.ts';
import { defineProgram } from '../program.ts';
import { computeBudgetActs } from './acts.ts';
import { computeBudgetLayouts } from './instructions.ts';

export const computeBudget = defineProgram({
  name: 'Compute Budget',
  addresses: [COMPUTE_BUDGET_PROGRAM],
  source: 'the runtime; compared with the clients @solana-program/compute-budget and web3.js',
  layouts: computeBudgetLayouts,
  acts: computeBudgetActs,
});
