import { z } from 'zod';
import { deployerClaimTxsFields } from '../../src/contract/index.ts';
import { again, build } from '../build.ts';
import { byService, cleaned } from '../outside.ts';
import { builtFields, builtText } from '../planResult.ts';
import { joinLines } from '../resultText.ts';
import { defineTool } from '../tool.ts';

/** Ordered, sponsored claims; each claim empties the wallet-wide vault, even with a filter (C-DEPLOY-04). */
export const createDeployerClaims = defineTool({
  name: 'create_deployer_claims',
  title: 'Create deployer claims',
  domain: 'fees',
  effect: 'build',
  description:
    "Builds the sponsored claims of a deployer's revenue; drains the whole vault even with tokenMints. For all claims: claim_all_fees.",
  input: z.strictObject({
    ...deployerClaimTxsFields,
    again,
    wallet: deployerClaimTxsFields.wallet.describe('Deployer; signs. Default: yours.').nullish(),
  }),
  output: z.looseObject({ ...builtFields, deferredClaims: z.unknown().optional() }),
  async run({ again: repeat, ...input }, context) {
    const request = { ...input, wallet: input.wallet ?? (await context.wallet.address()) };
    const { answer, opened } = await build(context, 'deployerClaimTxs', request, repeat);
    return {
      deferredClaims: cleaned(answer.deferredClaims ?? null),
      ...byService({ deferredClaims: null }),
      ...opened,
    };
  },
  text: (result) =>
    joinLines(
      builtText(result),
      Array.isArray(result.deferredClaims) &&
        result.deferredClaims.length > 0 &&
        `Deferred claims: ${result.deferredClaims.length}. Call again after this plan is complete.`,
    ),
});
