import { z } from 'zod';
import { ParamMint, publicKey, rawAmount, text } from '../../src/contract/index.ts';
import { MAX_PAYMENTS } from '../../src/plan/ownPlans.ts';
import { again } from '../build.ts';
import { briefly, builtFields, builtText } from '../planResult.ts';
import { defineTool } from '../tool.ts';

/** Maximum memo length in characters; a payment with it fits one transaction. */
const MEMO_LENGTH = 200;

const payment = {
  to: publicKey('Recipient: a wallet, no token account.'),
  amountRaw: rawAmount('Base units; lamports for SOL.'),
  tokenMint: ParamMint.describe('Token to send. Default: SOL.').nullish(),
};

/** Payments, built by this server and decided by the policy (docs/policy.md). */
export const send = defineTool({
  name: 'send',
  title: 'Send SOL or tokens',
  domain: 'send',
  effect: 'build',
  description:
    'Builds payments of SOL or tokens as one transaction; policies usually allow the address book only. They do not come back: confirm recipients and amounts with the person.',
  input: z.strictObject({
    ...payment,
    more: z
      .array(z.strictObject(payment))
      .max(MAX_PAYMENTS - 1)
      .describe('Further payments.')
      .nullish(),
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
