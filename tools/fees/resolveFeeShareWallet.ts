import { z } from 'zod';
import { feeShareWalletFields } from '../../src/contract/index.ts';
import { fromOutside, stated, untrustedShape } from '../outside.ts';
import { facts, say } from '../say.ts';
import { defineTool } from '../tool.ts';

/** SOL only: an EVM lookup would make a wallet, and a read must not (C-WALLET-04). */
export const resolveFeeShareWallet = defineTool({
  name: 'resolve_fee_share_wallet',
  title: 'Resolve fee share wallet',
  domain: 'fees',
  effect: 'read',
  description:
    'Solana wallet behind a social handle, to use in claimersArray. The service chooses it: confirm the handle with the person. Not for EVM.',
  input: z.strictObject({ provider: feeShareWalletFields.provider, username: feeShareWalletFields.username }),
  output: z.looseObject({
    wallet: z.string(),
    provider: z.unknown().optional(),
    platformData: z.unknown().optional(),
    untrusted: untrustedShape,
  }),
  async run(input, { service }) {
    const answer = await service.call('feeShareWallet', { ...input, chain: 'SOL' });
    const { value, untrusted } = fromOutside(stated('feeShareWallet', answer), [
      'platformData.username',
      'platformData.display_name',
      'platformData.avatar_url',
    ]);
    return { ...value, untrusted };
  },
  text: (result) =>
    say(
      facts(result, 'wallet', 'provider', 'chain'),
      typeof result.platformData === 'object' &&
        result.platformData !== null &&
        facts(result.platformData, 'id', 'username', 'display_name'),
    ),
});
