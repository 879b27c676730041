/**
 * Where the service can be made to answer dishonestly. The sandbox offers these places and is honest by itself; the
 * attacks that use them live in `attacks/` and are handed in by the code that starts the sandbox.
 */

import type { EndpointName } from '../../src/contract/index.ts';
import type { Address } from '../../src/transaction/types.ts';
import type { ChainAccount } from '../chain/types.ts';
import type { Keypair } from '../keypair.ts';
import type { Draft } from './build/compile.ts';
import type { Onchain } from './onchain.ts';
import type { ServiceKeys } from './serviceKeys.ts';

/** What an attacker has at hand. */
export interface AttackTools {
  readonly onchain: Onchain;
  readonly keys: ServiceKeys;
  /** Receives what is stolen. */
  readonly attacker: Keypair;
  /** Funds a key from the faucet. */
  fund(address: Address, lamports: bigint): void;
  /** What an RPC that lies shows instead of what the chain holds. */
  readonly lies: Map<Address, ChainAccount | null>;
  /** Transaction strings of an endpoint's answer, from and to bytes. */
  decode(endpoint: EndpointName, text: string): Uint8Array;
  encode(endpoint: EndpointName, bytes: Uint8Array): string;
}

/** Where a draft stands in the answer. */
export interface DraftPlace {
  readonly endpoint: EndpointName;
  /** Stage id, or bundle type. */
  readonly stage: string;
  /** The wallet that asked and is to sign. */
  readonly wallet: Address;
}

export type Fields = Readonly<Record<string, unknown>>;

/** A hook for attacks that have no name. */
export type HostileHook = (
  endpoint: EndpointName,
  answer: unknown,
  context: { readonly request: Fields; readonly tools: AttackTools },
) => unknown;

/** The places at which an answer can be changed. */
export interface HostileMode {
  readonly tools: AttackTools;
  /** Serves an attack by name or a hook; `undefined` goes back to honest answers. Throws RangeError for an unknown name. */
  use(mode: string | HostileHook | undefined): void;
  /** The attacks there are, by name. */
  list(): readonly { readonly name: string; readonly row: string; readonly does: string }[];
  /** Prepares the chain for the attack, once. The tokens a sandbox starts with must be there. */
  begin(): void;
  /** The request the service is made to believe. */
  request(endpoint: EndpointName, request: unknown): unknown;
  /** A draft between instruction list and bytes. */
  draft(draft: Draft, place: DraftPlace): Draft;
  /** The finished answer. */
  answer(endpoint: EndpointName, answer: unknown, request: unknown): Promise<unknown>;
}

/** Makes a hostile mode for one service. */
export type OpenHostileMode = (tools: Omit<AttackTools, 'lies'>) => HostileMode;

/** A sandbox without attacks: every answer is honest. */
export const honest: OpenHostileMode = (tools) => ({
  tools: { ...tools, lies: new Map() },
  use: (mode) => {
    if (mode !== undefined) throw new RangeError('This sandbox was started without attacks.');
  },
  list: () => [],
  begin: () => undefined,
  request: (_endpoint, request) => request,
  draft: (draft) => draft,
  answer: async (_endpoint, answer) => answer,
});
