import { z } from 'zod';
import { ParamMint, publicKey, rawAmount, text } from '../../src/contract/index.ts';
import { again } from '../build.ts';
import { briefly, builtFields, builtText } from '../planResult.ts';
import { defineTool } from '../tool.ts';

/** Longest memo, in characters; a payment with it still fits a transaction. */
const MEMO_LENGTH = 200;

/** A payment, built here and judged like everything else (docs/policy.md). */
export const send = defineTool({
  name: 'send',
  title: 'Send SOL or a token',
  domain: 'send',
  effect: 'build',
  description:
    'Builds a payment of SOL or a token; policies usually allow the address book only. It does not come back: confirm recipient and amount with the person. Next: submit_plan.',
  input: z.strictObject({
    to: publicKey('Recipient: a wallet, no token account.'),
    amountRaw: rawAmount('Base units; lamports for SOL.'),
    tokenMint: ParamMint.describe('Token to send. Default: SOL.').nullish(),
    memo: text(1, MEMO_LENGTH, 'Public note.').nullish(),
    wallet: publicKey('Payer; signs. Default: yours.').nullish(),
    again,
  }),
  output: z.looseObject(builtFields),
  async run({ again: repeat, ...input }, { plans, wallet }) {
    const request = { ...input, wallet: input.wallet ?? (await wallet.address()) };
    return briefly(await plans.build('send', request, repeat));
  },
  text: builtText,
});
