/** The interface of the service that its parts import: keys, chain, records and transaction building. */

import type { EndpointName } from '../../src/contract/index.ts';
import type { ProfileName } from '../../src/contract/profiles/index.ts';
import type { Address, LookupTableContent } from '../../src/transaction/types.ts';
import type { Compiled, Draft } from './build/compile.ts';
import type { TokenAsset } from './build/tokens.ts';
import type { DraftPlace } from './hostile.ts';
import type { Onchain } from './onchain.ts';
import type { QuoteToken } from './records/quotes.ts';
import type { ServiceKeys } from './serviceKeys.ts';
import type { ServiceState } from './state.ts';

export interface ServiceContext {
  readonly seed: string;
  readonly profile: ProfileName;
  readonly onchain: Onchain;
  readonly keys: ServiceKeys;
  readonly quotes: ReadonlyMap<Address, QuoteToken>;
  readonly state: ServiceState;
  /** Secret of the login tokens. */
  readonly loginSecret: Uint8Array;
  /** Hostile mode may change what is built. */
  readonly hostile: { draft(draft: Draft, place: DraftPlace): Draft };
  /** The service's lookup table for swaps. */
  readonly globalTable: { add(addresses: readonly Address[]): void; usable(): LookupTableContent[] };
  /** Returns a unique number. */
  serial(): number;
  /** Milliseconds since the epoch, on the chain's clock. */
  now(): number;
  /** Compiles a draft, after hostile mode has changed it. */
  compile(draft: Draft, endpoint: EndpointName, stage: string, wallet: Address): Compiled;
  /** Encodes transaction bytes as an endpoint's answer does. */
  encode(endpoint: EndpointName, bytes: Uint8Array): string;
  /** Decodes a transaction string of an endpoint's answer. */
  decode(endpoint: EndpointName, text: string): Uint8Array;
  /** Reads a mint from the chain. Throws 400 for any other account. */
  asset(mint: Address): TokenAsset;
  /** Reads lookup tables from the chain. Throws 400 for any other account. */
  tables(addresses: readonly Address[]): LookupTableContent[];
}
