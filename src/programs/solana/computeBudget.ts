/**
 * The Compute Budget program. `requestUnits` is deprecated and fails on chain; its layout exists so that it can be
 * refused.
 */
import { u32, u64 } from '../../transaction/codecs.ts';
import { COMPUTE_BUDGET_PROGRAM } from '../../transaction/programs.ts';
import type { Act } from '../acts.ts';
import { defineLayout } from '../layout.ts';
import { defineProgram } from '../program.ts';

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

const setting = (name: string, value: bigint | number): readonly Act[] => [
  { act: 'computeBudget', setting: name, value: BigInt(value) },
];

export const computeBudget = defineProgram({
  name: 'Compute Budget',
  addresses: [COMPUTE_BUDGET_PROGRAM],
  source: 'the runtime; compared with the clients @solana-program/compute-budget and web3.js',
  layouts: computeBudgetLayouts,
  acts: {
    'computeBudget.requestUnits': ({ args }) => [
      ...setting('compute unit limit', args.units),
      ...setting('additional fee in lamports', args.additionalFee),
    ],
    'computeBudget.requestHeapFrame': ({ args }) => setting('heap bytes', args.bytes),
    'computeBudget.setComputeUnitLimit': ({ args }) => setting('compute unit limit', args.units),
    'computeBudget.setComputeUnitPrice': ({ args }) =>
      setting('micro-lamports per compute unit', args.microLamports),
    'computeBudget.setLoadedAccountsDataSizeLimit': ({ args }) => setting('loaded bytes', args.bytes),
  },
});
