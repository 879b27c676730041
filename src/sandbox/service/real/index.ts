/** Handlers that build and read with the programs behind the live service. */
import type { Handlers } from '../http/app.ts';
import { analyticsHandlers } from './handlers/analytics.ts';
import { bundleHandlers } from './handlers/bundles.ts';
import { claimHandlers } from './handlers/claims.ts';
import { configHandlers } from './handlers/configs.ts';
import { custodyHandlers } from './handlers/custody.ts';
import { launchHandlers } from './handlers/launches.ts';
import { legacyHandlers } from './handlers/legacy.ts';
import { olderHandlers } from './handlers/older.ts';
import { partnerHandlers } from './handlers/partner.ts';
import { tradeHandlers } from './handlers/trades.ts';
import { vaultHandlers } from './handlers/vaults.ts';

export const chainHandlers: Handlers = {
  ...analyticsHandlers,
  ...bundleHandlers,
  ...claimHandlers,
  ...configHandlers,
  ...custodyHandlers,
  ...launchHandlers,
  ...legacyHandlers,
  ...olderHandlers,
  ...partnerHandlers,
  ...tradeHandlers,
  ...vaultHandlers,
};
