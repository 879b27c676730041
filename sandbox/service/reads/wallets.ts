/** Wallets by social handle (docs/contract.md C-WALLET), derived from the handle. */
import { createHash } from 'node:crypto';
import { getAddress } from 'viem/utils';
import type { EndpointRequest } from '../../../src/contract/index.ts';
import type { ServiceContext } from '../context.ts';
import type { Handlers } from '../http/app.ts';
import { notFound } from '../http/errors.ts';

/** Handles with this prefix answer 404. */
const UNKNOWN_PREFIX = 'unknown';

export const walletHandlers: Handlers = {
  feeShareWallet: (service, request) => {
    const found = walletOf(service, request);
    if (found === undefined) throw notFound('No wallet found for this user');
    return found;
  },
};

function walletOf(service: ServiceContext, { provider, username, chain }: EndpointRequest<'feeShareWallet'>) {
  const handle = username.toLowerCase();
  if (handle.startsWith(UNKNOWN_PREFIX)) return undefined;
  const id = createHash('sha256').update(`${service.seed}/${provider}/${handle}`).digest();
  const wallet =
    chain === 'EVM'
      ? getAddress(`0x${id.subarray(0, 20).toString('hex')}`)
      : service.keys.seeded(`handle ${provider}/${handle}`).address;
  return {
    provider,
    platformData: {
      id: id.readUInt32BE(0).toString(),
      username,
      display_name: username,
      avatar_url: `https://example.com/avatars/${id.toString('hex').slice(0, 8)}.png`,
    },
    wallet,
    chain: chain ?? 'SOL',
  };
}
