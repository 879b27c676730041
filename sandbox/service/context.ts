/**
 * What the parts of the service work with: its keys, its view of the chain, its memory, and how it builds bytes. The
 * service is made of these parts, so they import only this interface of it.
 */

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
  /** The service's own lookup table, against which swaps are compiled. */
  readonly globalTable: { add(addresses: readonly Address[]): void; usable(): LookupTableContent[] };
  /** A number no call got before. */
  serial(): number;
  /** Milliseconds since the epoch, on the chain's clock. */
  now(): number;
  /** Compiles a draft of an answer; hostile mode may change it first. */
  compile(draft: Draft, endpoint: EndpointName, stage: string, wallet: Address): Compiled;
  /** Transaction bytes as the answer of an endpoint writes them. */
  encode(endpoint: EndpointName, bytes: Uint8Array): string;
  /** The bytes of a transaction string of an answer. */
  decode(endpoint: EndpointName, text: string): Uint8Array;
  /** A mint as transfers need it, from the chain. Throws 400 for what is no mint. */
  asset(mint: Address): TokenAsset;
  /** Lookup tables a caller named, from the chain. Throws 400 for what is no table. */
  tables(addresses: readonly Address[]): LookupTableContent[];
}
