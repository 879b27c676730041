/**
 * In which encoding the service builds and reads: `stock` uses programs every chain has, with a config as token metadata;
 * `real` the instructions and accounts of the programs behind the live service.
 */

import type { Claimer } from '../../contract/stockPrograms.ts';
import type { Address } from '../../transaction/types.ts';
import type { ServiceContext } from './context.ts';
import type { Launch, LaunchStatus } from './state.ts';

export const ENCODING_NAMES = ['stock', 'real'] as const;
export type EncodingName = (typeof ENCODING_NAMES)[number];
/** What a sandbox builds in unless it is told. */
export const DEFAULT_ENCODING: EncodingName = 'real';

/** What the service itself needs to know of an encoding; its handlers know the rest. */
export interface Encoding {
  readonly name: EncodingName;
  /** Lands the tokens a fresh sandbox already trades. */
  seedMarket(service: ServiceContext): Promise<void>;
  /** The status of a launch, from the chain. Also brings its venue up to what the chain shows. */
  launchStatus(service: ServiceContext, launch: Launch): LaunchStatus;
  /** Who earns from a token now; empty while there is no earner. */
  claimers(service: ServiceContext, baseMint: Address): readonly Claimer[];
  /** Looks at what a transaction that has just landed named. */
  landed(service: ServiceContext, named: ReadonlySet<Address>): void;
}
