/** Hooks for attacks on answers. The sandbox itself is honest; the attacks are injected from `attacks/`. */

import type { EndpointName } from '../../src/contract/index.ts';
import type { Address } from '../../src/transaction/types.ts';
import type { ChainAccount } from '../chain/types.ts';
import type { Keypair } from '../keypair.ts';
import type { Draft } from './build/compile.ts';
import type { Onchain } from './onchain.ts';
import type { ServiceKeys } from './serviceKeys.ts';

/** Tools of an attack. */
export interface AttackTools {
  readonly onchain: Onchain;
  readonly keys: ServiceKeys;
  /** Receives the stolen assets. */
  readonly attacker: Keypair;
  /** Funds a key from the faucet. */
  fund(address: Address, lamports: bigint): void;
  /** Accounts that a lying RPC returns instead of those on chain. */
  readonly lies: Map<Address, ChainAccount | null>;
  /** Transaction strings of an endpoint's answer, from and to bytes. */
  decode(endpoint: EndpointName, text: string): Uint8Array;
  encode(endpoint: EndpointName, bytes: Uint8Array): string;
}

/** Position of a draft in the answer. */
export interface DraftPlace {
  readonly endpoint: EndpointName;
  /** Stage id, or bundle type. */
  readonly stage: string;
  /** The wallet that asked and is to sign. */
  readonly wallet: Address;
}

export type Fields = Readonly<Record<string, unknown>>;

/** An ad-hoc attack on answers. */
export type HostileHook = (
  endpoint: EndpointName,
  answer: unknown,
  context: { readonly request: Fields; readonly tools: AttackTools },
) => unknown;

/** Hooks at which an answer can be changed. */
export interface HostileMode {
  readonly tools: AttackTools;
  /** Serves an attack by name or a hook; `undefined` goes back to honest answers. Throws RangeError for an unknown name. */
  use(mode: string | HostileHook | undefined): void;
  /** Lists the attacks by name. */
  list(): readonly { readonly name: string; readonly row: string; readonly does: string }[];
  /** Prepares the chain for the attack, once. The tokens a sandbox starts with must be there. */
  begin(): void;
  /** Replaces the request. */
  request(endpoint: EndpointName, request: unknown): unknown;
  /** Changes a draft before it is compiled. */
  draft(draft: Draft, place: DraftPlace): Draft;
  /** Changes the finished answer. */
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
