/** Acts of the Compute Budget program's instructions. */
import type { Act } from '../acts.ts';
import type { ActsOf } from '../program.ts';
import type { computeBudgetLayouts } from './instructions.ts';

const setting = (name: string, value: bigint | number): readonly Act[] => [
  { act: 'computeBudget', setting: name, value: BigInt(value) },
];

export const computeBudgetActs: ActsOf<typeof computeBudgetLayouts> = {
  'computeBudget.requestUnits': ({ args }) => [
    ...setting('compute unit limit', args.units),
    ...setting('additional fee in lamports', args.additionalFee),
  ],
  'computeBudget.requestHeapFrame': ({ args }) => setting('heap bytes', args.bytes),
  'computeBudget.setComputeUnitLimit': ({ args }) => setting('compute unit limit', args.units),
  'computeBudget.setComputeUnitPrice': ({ args }) =>
    setting('micro-lamports per compute unit', args.microLamports),
  'computeBudget.setLoadedAccountsDataSizeLimit': ({ args }) => setting('loaded bytes', args.bytes),
};
