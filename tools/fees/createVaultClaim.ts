import { z } from 'zod';
import { claimVaultFields } from '../../src/contract/index.ts';
import { again, build } from '../build.ts';
import { byService, cleaned } from '../outside.ts';
import { builtFields, builtText } from '../planResult.ts';
import { defineTool } from '../tool.ts';

/** A sponsored claim of one aggregate vault: the service pays the fee (C-VAULT-05). */
export const createVaultClaim = defineTool({
  name: 'create_vault_claim',
  title: 'Create vault claim',
  domain: 'fees',
  effect: 'build',
  description:
    'Builds the sponsored claim of one row of list_vault_claimables. For all claims: claim_all_fees.',
  input: z.strictObject({
    ...claimVaultFields,
    again,
    wallet: claimVaultFields.wallet.describe('Owner of the vault; signs. Default: yours.').nullish(),
  }),
  output: z.looseObject({ ...builtFields, claimable: z.unknown().optional() }),
  async run({ again: repeat, ...input }, context) {
    const request = { ...input, wallet: input.wallet ?? (await context.wallet.address()) };
    const { answer, opened } = await build(context, 'claimVault', request, repeat);
    return { claimable: cleaned(answer.claimable ?? null), ...byService({ claimable: null }), ...opened };
  },
  text: builtText,
});
