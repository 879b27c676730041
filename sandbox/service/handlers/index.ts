/** Every handler of the service, by endpoint name. */
import type { EndpointName } from '../../../src/contract/index.ts';
import type { ServiceContext } from '../context.ts';
import type { Handlers } from '../http/app.ts';
import { incorporationHandlers } from '../reads/incorporation.ts';
import { launchReadHandlers } from '../reads/launches.ts';
import type { User } from '../state.ts';
import { accountHandlers } from './account.ts';
import { analyticsHandlers } from './analytics.ts';
import { claimHandlers } from './claims.ts';
import { configHandlers } from './configs.ts';
import { custodyHandlers } from './custody.ts';
import { launchHandlers } from './launches.ts';
import { quoteTokenHandlers } from './quoteTokens.ts';
import { tokenInfoHandlers } from './tokenInfo.ts';
import { tradeHandlers } from './trades.ts';
import { vaultHandlers } from './vaults.ts';

/** EVM reads, loaded at the first request because their library is slow to load. */
const EVM_READS = [
  'evmTrades',
  'evmTokenCreations',
  'evmCreatorRoster',
  'evmCreatorEarnings',
  'feeShareWallet',
] as const;

function later(name: EndpointName) {
  return async (service: ServiceContext, request: unknown, user: User): Promise<unknown> => {
    const { evmHandlers, walletHandlers } = await import('../reads/evm.ts');
    // The endpoint's schema has validated the request.
    const handler = { ...evmHandlers, ...walletHandlers }[name] as
      | ((s: ServiceContext, r: unknown, u: User) => unknown)
      | undefined;
    return handler?.(service, request, user);
  };
}

export const handlers: Handlers = {
  ...launchReadHandlers,
  ...incorporationHandlers,
  ...Object.fromEntries(EVM_READS.map((name) => [name, later(name)])),
  ...accountHandlers,
  ...tokenInfoHandlers,
  ...quoteTokenHandlers,
  ...analyticsHandlers,
  ...claimHandlers,
  ...configHandlers,
  ...custodyHandlers,
  ...launchHandlers,
  ...tradeHandlers,
  ...vaultHandlers,
};
