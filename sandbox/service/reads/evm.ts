/** EVM reads over the synthetic history (docs/contract.md C-EVM). Re-exports the handle reads, which need viem too. */

import { getAddress } from 'viem/utils';
import type { ServiceContext } from '../context.ts';
import type { Handlers } from '../http/app.ts';
import { notFound } from '../http/errors.ts';
import { createEvmHistory, type EvmToken, tradePage } from './evmHistory.ts';

export { walletHandlers } from './wallets.ts';

const DEFAULT_LIMIT = 50;
const UNKNOWN = 'Token not found in any deployment';
const histories = new WeakMap<ServiceContext, EvmToken[]>();

/** Returns the history of a service; created at the first read. */
function tokensOf(service: ServiceContext): EvmToken[] {
  const tokens = histories.get(service) ?? createEvmHistory(service.seed, Math.floor(service.now() / 1000));
  histories.set(service, tokens);
  return tokens;
}

function tokenOf(service: ServiceContext, named: string): EvmToken {
  const address = named.toLowerCase();
  const token = tokensOf(service).find((each) => each.address.toLowerCase() === address);
  if (token === undefined) throw notFound(UNKNOWN);
  return token;
}

export const evmHandlers: Handlers = {
  evmTrades: (service, request) => {
    const token = tokenOf(service, request.tokenAddress);
    const page = tradePage(token.trades, {
      limit: request.limit ?? DEFAULT_LIMIT,
      ...(typeof request.beforeTs === 'number' ? { beforeTs: request.beforeTs } : {}),
      ...(typeof request.beforeId === 'string' ? { beforeId: request.beforeId } : {}),
    });
    return { ...page, version: token.version, quote: token.quote };
  },

  evmTokenCreations: (service, request) => {
    const since = request.sinceTs ?? 0;
    const recent = tokensOf(service).filter((token) => token.createdAtTimestamp >= since);
    return {
      items: recent
        .slice(0, request.limit ?? DEFAULT_LIMIT)
        .map(({ recipients: _recipients, trades: _trades, ...item }) => item),
    };
  },

  evmCreatorRoster: (service, request) => {
    const token = tokenOf(service, request.tokenAddress);
    return {
      token: token.address,
      feeShare: token.feeShare,
      partner: token.partner,
      partnerFeeBps: token.partnerFeeBps,
      recipients: token.recipients,
      version: token.version,
      quote: token.quote,
    };
  },

  evmCreatorEarnings: (service, request) => {
    const token = tokenOf(service, request.tokenAddress);
    const user = request.user.toLowerCase();
    const share = token.recipients.find((recipient) => recipient.address.toLowerCase() === user);
    return {
      token: token.address,
      user: getAddress(request.user.toLowerCase()),
      isClaimer: share !== undefined && !share.isPartner,
      userBps: share?.bps ?? 0,
      partner: token.partner,
      isPartner: share?.isPartner ?? false,
      claimableWei: share?.claimableWei ?? '0',
      claimedWei: share?.claimedWei ?? '0',
      pendingEstimateWei: share?.pendingWei ?? '0',
      version: token.version,
      quote: token.quote,
    };
  },
};
