/** The real encoding: what the service builds and reads with the programs behind the live service. */
import type { EndpointName } from '../../../contract/index.ts';
import type { Encoding } from '../encoding.ts';
import type { Handlers } from '../http/app.ts';
import { badRequest } from '../http/errors.ts';
import { claimHandlers } from './handlers/claims.ts';
import { configHandlers } from './handlers/configs.ts';
import { custodyHandlers } from './handlers/custody.ts';
import { launchHandlers } from './handlers/launches.ts';
import { tradeHandlers } from './handlers/trades.ts';
import { vaultHandlers } from './handlers/vaults.ts';
import { seedMarket } from './market.ts';
import { landedConfig } from './records/configAccount.ts';
import { launchStatus } from './records/venues.ts';

/** Endpoints that build transactions this encoding does not have. */
const NOT_BUILT = ['createLaunchConfig', 'legacyFeeShareConfig'] as const satisfies readonly EndpointName[];

const notBuilt = (): never => {
  throw badRequest('the sandbox does not build this in the real encoding; start it without --encoding real');
};

export const realHandlers: Handlers = {
  ...Object.fromEntries(NOT_BUILT.map((name) => [name, notBuilt])),
  ...claimHandlers,
  ...configHandlers,
  ...custodyHandlers,
  ...launchHandlers,
  ...tradeHandlers,
  ...vaultHandlers,
};

export const realEncoding: Encoding = {
  name: 'real',
  seedMarket,
  launchStatus,
  claimers: (service, baseMint) => landedConfig(service, baseMint)?.config.claimers ?? [],
  landed: () => {},
};
