import { z } from 'zod';
import { publicKey, vaultAmountsDisagree } from '../../src/contract/index.ts';
import { cleaned, stated } from '../outside.ts';
import { fromOffset, ParamOffset, pageOf, picked } from '../rows.ts';
import { defineTool } from '../tool.ts';

const SHOWN = [
  'kind',
  'wallet',
  'quoteMint',
  'quoteDecimals',
  'claimableAmountRaw',
  'amountsDisagree',
] as const;

const DETAIL = ['vaultAta', 'claimableAmount', 'claimableDisplayAmount', 'asset'] as const;

/** Aggregate partner and deployer vaults. If the amounts of a row differ, the raw amount counts and the row has a note (B54). */
export const listVaultClaimables = defineTool({
  name: 'list_vault_claimables',
  title: 'List vault claimables',
  domain: 'fees',
  effect: 'read',
  description:
    'Non-empty partner and deployer vaults of a wallet, one per quote mint (DAMM v2). Next: create_vault_claim, or claim_all_fees.',
  input: z.strictObject({
    wallet: publicKey('Partner or deployer. Default: yours.').nullish(),
    offset: ParamOffset,
    detail: z.boolean().describe('Vault account, stated amounts too.').nullish(),
  }),
  output: z.looseObject({
    vaults: z.array(z.looseObject({})),
    nextOffset: z.number().nullish(),
    contractViolations: z.array(z.string()).optional(),
  }),
  async run(input, { service, wallet, tokens }) {
    const answer = await service.call('vaultClaimables', {
      wallet: input.wallet ?? (await wallet.address()),
    });
    const vaults = fromOffset(answer.vaults, input.offset).map((vault) => ({
      ...vault,
      amountsDisagree: vaultAmountsDisagree(vault),
    }));
    const disagree = vaults.filter((vault) => vault.amountsDisagree).length;
    const shown = await tokens.amounts(
      vaults.map(
        ({ quoteMint, claimableAmountRaw: raw }) => [quoteMint, BigInt(/^\d+$/.test(raw) ? raw : 0)] as const,
      ),
    );
    const all = vaults.map((vault, index) => {
      const { amount, symbol } = shown[index] ?? {};
      return {
        ...picked(vault, input.detail === true ? [...SHOWN, ...DETAIL] : SHOWN),
        ...picked({ claimable: amount, symbol }, ['claimable', 'symbol']),
      };
    });
    const { rows, cursor } = pageOf(all, answer.vaults.length, input.offset);
    return {
      ...cursor,
      ...cleaned(stated('vaultClaimables', { ...answer, vaults: rows })),
      ...(disagree > 0
        ? {
            contractViolations: [
              `vaults that name different amounts: ${disagree}; claimableAmountRaw counts`,
            ],
          }
        : {}),
    };
  },
});
