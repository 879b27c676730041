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

/** Reads about the EVM chain bring a slow library with them, so they load with the first of them that is asked. */
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
    // The schema of the endpoint has checked the request; the map pairs names and handlers.
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
