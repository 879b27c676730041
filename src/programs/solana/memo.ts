/** The Memo programs: UTF-8 text, and any number of required signers. */
import { lastText } from '../../transaction/codecs.ts';
import {
  MEMO_PROGRAMS,
  MEMO_V1_PROGRAM,
  MEMO_V3_PROGRAM,
  MEMO_V4_PROGRAM,
} from '../../transaction/programs.ts';
import { defineLayout } from '../layout.ts';
import { defineProgram } from '../program.ts';

export const memoLayouts = [
  defineLayout('memo.memo', {
    program: [MEMO_V3_PROGRAM, MEMO_V1_PROGRAM, MEMO_V4_PROGRAM],
    discriminator: [],
    accounts: {},
    args: { text: lastText },
    rest: 'signer',
  }),
];

export const memo = defineProgram({
  name: 'Memo',
  addresses: MEMO_PROGRAMS,
  source: 'the programs themselves',
  layouts: memoLayouts,
  acts: {
    'memo.memo': ({ rest, args }) => [
      { act: 'memo', text: args.text, signers: rest.map(({ address }) => address) },
    ],
  },
});
