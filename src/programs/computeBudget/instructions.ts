/**
 * Layouts of the Compute Budget program. `requestUnits` is deprecated and fails on chain; its layout exists so that it can be
 * refused.
 */
import { u32, u64 } from '../../transaction/codecs.ts';
import { COMPUTE_BUDGET_PROGRAM } from '../../transaction/programs.ts';
import { defineLayout } from '../layout.ts';

const program = COMPUTE_BUDGET_PROGRAM;
const accounts = {};
const rest = 'reference';

export const computeBudgetLayouts = [
  defineLayout('computeBudget.requestUnits', {
    program,
    rest,
    discriminator: [0],
    accounts,
    args: { units: u32, additionalFee: u32 },
  }),
  defineLayout('computeBudget.requestHeapFrame', {
    program,
    rest,
    discriminator: [1],
    accounts,
    args: { bytes: u32 },
  }),
  defineLayout('computeBudget.setComputeUnitLimit', {
    program,
    rest,
    discriminator: [2],
    accounts,
    args: { units: u32 },
  }),
  defineLayout('computeBudget.setComputeUnitPrice', {
    program,
    rest,
    discriminator: [3],
    accounts,
    args: { microLamports: u64 },
  }),
  defineLayout('computeBudget.setLoadedAccountsDataSizeLimit', {
    program,
    rest,
    discriminator: [4],
    accounts,
    args: { bytes: u32 },
  }),
];
