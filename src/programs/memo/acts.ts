/** Acts of the Memo programs' instructions. */
import type { ActsOf } from '../program.ts';
import type { memoLayouts } from './instructions.ts';

export const memoActs: ActsOf<typeof memoLayouts> = {
  'memo.memo': ({ rest, args }) => [
    { act: 'memo', text: args.text, signers: rest.map(({ address }) => address) },
  ],
};
