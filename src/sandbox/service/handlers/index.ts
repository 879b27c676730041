/** Every handler of the service, by endpoint name. */
import type { Handlers } from '../http/app.ts';
import { readHandlers } from '../reads/index.ts';
import { accountHandlers } from './account.ts';
import { claimHandlers } from './claims.ts';
import { feeShareConfig } from './feeShareConfig.ts';
import { updateFeeShareConfig } from './feeShareUpdate.ts';
import { launchHandlers } from './launch.ts';
import { legacyHandlers } from './legacy.ts';
import { quoteTokenHandlers } from './quoteTokens.ts';
import { tokenInfoHandlers } from './tokenInfo.ts';
import { tradeHandlers } from './trade.ts';

export const handlers: Handlers = {
  ...readHandlers,
  ...accountHandlers,
  ...tokenInfoHandlers,
  ...quoteTokenHandlers,
  ...tradeHandlers,
  ...launchHandlers,
  ...claimHandlers,
  ...legacyHandlers,
  feeShareConfig,
  updateFeeShareConfig,
};
