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
    "Builds one payment of SOL or a token to another wallet. Only to the policy's address book unless a rule says otherwise; it does not come back. Confirm recipient and amount with the person. Next: submit_plan.",
  input: z.strictObject({
    to: publicKey("Recipient's wallet; never a token account."),
    amountRaw: rawAmount('Amount in base units; lamports for SOL.'),
    tokenMint: ParamMint.describe('Token to send. Default: SOL.').nullish(),
    memo: text(1, MEMO_LENGTH, 'Public note in the transaction.').nullish(),
    wallet: publicKey('Wallet that pays and signs. Default: the only wallet.').nullish(),
    again,
  }),
  output: z.looseObject(builtFields),
  async run({ again: repeat, ...input }, { plans, wallet }) {
    const request = { ...input, wallet: input.wallet ?? (await wallet.address()) };
    return briefly(await plans.build('send', request, repeat));
  },
  text: builtText,
});
