/**
 * What an attack is: an honest answer gone wrong in one way. Attacks come in at three places: before the service
 * builds (the request it believes), between instruction list and bytes (so that its co-signatures stay valid), and
 * on the finished answer.
 */
import type { EndpointName } from '../../contract/index.ts';
import type { Address } from '../../transaction/types.ts';
import type { Draft } from '../service/build/compile.ts';
import type { Keypair } from '../service/keys.ts';
import type { Onchain } from '../service/onchain.ts';
import type { ServiceKeys } from '../service/serviceKeys.ts';

/** What an attacker has at hand. */
export interface AttackTools {
  readonly onchain: Onchain;
  readonly keys: ServiceKeys;
  /** Receives what is stolen. */
  readonly attacker: Keypair;
  /** Funds a key from the faucet. */
  fund(address: Address, lamports: bigint): void;
}

/** Where a draft stands in the answer. */
export interface DraftPlace {
  readonly endpoint: EndpointName;
  /** Stage id, or bundle type. */
  readonly stage: string;
  /** The wallet that asked and is to sign. */
  readonly wallet: Address;
}

/** One attack. Hooks that are absent leave things as they are. */
export interface Attack {
  /** Row of the threat model. */
  readonly row: string;
  /** One sentence: what it does. */
  readonly does: string;
  /** Endpoints it applies to; all that build when absent. */
  readonly endpoints?: readonly EndpointName[];
  readonly request?: (request: Fields, tools: AttackTools) => Fields;
  readonly draft?: (draft: Draft, place: DraftPlace, tools: AttackTools) => Draft;
  readonly answer?: (answer: unknown, asked: Fields, tools: AttackTools, endpoint: EndpointName) => unknown;
}

export type Fields = Readonly<Record<string, unknown>>;

/** A hook for attacks that are not in the registry. */
export type HostileHook = (
  endpoint: EndpointName,
  answer: unknown,
  context: { readonly request: Fields; readonly tools: AttackTools },
) => unknown;
