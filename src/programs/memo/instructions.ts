/** Layouts of the Memo programs: UTF-8 text, and any number of required signers. */
import { lastText } from '../../transaction/codecs.ts';
import { MEMO_V1_PROGRAM, MEMO_V3_PROGRAM, MEMO_V4_PROGRAM } from '../../transaction/programs.ts';
import { defineLayout } from '../layout.ts';

export const memoLayouts = [
  defineLayout('memo.memo', {
    program: [MEMO_V3_PROGRAM, MEMO_V1_PROGRAM, MEMO_V4_PROGRAM],
    discriminator: [],
    accounts: {},
    args: { text: lastText },
    rest: 'signer',
  }),
];
