import { z } from 'zod';
import { feeShareWalletFields, readHandle } from '../../src/contract/index.ts';
import { fromOutside, stated, untrustedShape } from '../outside.ts';
import { picked } from '../rows.ts';
import { defineTool } from '../tool.ts';

const fields = {
  provider: feeShareWalletFields.provider,
  username: feeShareWalletFields.username.describe('Handle, with or without @, or profile link.'),
};

/** SOL only: an EVM lookup creates a wallet, which a read must not (C-WALLET-04). Handles are normalized. */
export const resolveFeeShareWallet = defineTool({
  name: 'resolve_fee_share_wallet',
  title: 'Resolve fee share wallet',
  domain: 'fees',
  effect: 'read',
  description:
    'Solana wallet behind a social handle, to use in claimersArray. The service chooses it: confirm the handle with the person. Not for EVM.',
  input: z.strictObject(fields).superRefine(({ provider, username }, context) => {
    const read = readHandle(provider, username);
    if ('problem' in read) context.addIssue({ code: 'custom', path: ['username'], message: read.problem });
  }),
  output: z.looseObject({
    wallet: z.string(),
    handle: z.string(),
    provider: z.unknown().optional(),
    platformData: z.unknown().optional(),
    untrusted: untrustedShape,
  }),
  async run({ provider, username }, { service }) {
    const read = readHandle(provider, username);
    // The schema has validated the handle.
    const handle = 'handle' in read ? read.handle : username;
    const answer = await service.call('feeShareWallet', { provider, username: handle, chain: 'SOL' });
    const { value, untrusted } = fromOutside(stated('feeShareWallet', answer), [
      'platformData.username',
      'platformData.display_name',
    ]);
    const { platformData, ...rest } = value;
    return {
      ...rest,
      platformData: picked(platformData ?? {}, ['id', 'username', 'display_name']),
      handle,
      untrusted,
    };
  },
});
