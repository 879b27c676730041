/** The service's read-only side: feed, creators, wallets by handle, EVM history, incorporation. */
import type { Handlers } from '../http/app.ts';
import { evmHandlers } from './evm.ts';
import { incorporationHandlers } from './incorporation.ts';
import { launchReadHandlers } from './launches.ts';
import { walletHandlers } from './wallets.ts';

export const readHandlers: Handlers = {
  ...launchReadHandlers,
  ...walletHandlers,
  ...evmHandlers,
  ...incorporationHandlers,
};
