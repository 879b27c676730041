/**
 * What an attack is: an honest answer gone wrong in one way. Attacks come in at four places: before anything is asked
 * (accounts on the chain), before the service builds (the request it believes), between instruction list and bytes
 * (so that its co-signatures stay valid), and on the finished answer.
 */
import type { EndpointName } from '../../contract/index.ts';
import type { EncodedInstruction } from '../../programs/instructions.ts';
import type { SandboxChain } from '../../sandbox/chain/chain.ts';
import type { ChainAccount } from '../../sandbox/chain/types.ts';
import type { Draft } from '../../sandbox/service/build/compile.ts';
import type { Keypair } from '../../sandbox/service/keys.ts';
import type { Onchain } from '../../sandbox/service/onchain.ts';
import type { ServiceKeys } from '../../sandbox/service/serviceKeys.ts';
import type { Address } from '../../transaction/types.ts';

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

export type DraftHook = (draft: Draft, place: DraftPlace, tools: AttackTools) => Draft;
export type RequestHook = (request: Fields, tools: AttackTools, endpoint: EndpointName) => Fields;
export type AnswerHook = (
  answer: unknown,
  asked: Fields,
  tools: AttackTools,
  endpoint: EndpointName,
) => unknown;

/** One attack. Hooks that are absent leave things as they are. */
export interface Attack {
  /** Row of docs/threat-model.md. */
  readonly row: string;
  /** Who has gone bad: the service, a token that is traded, or the chain as one's RPC shows it. */
  readonly plays: 'service' | 'token' | 'chain';
  /** One sentence: what it does. */
  readonly does: string;
  /** What a signature would cost. */
  readonly takes: string;
  /** The policy's reason code for it. */
  readonly code: string;
  /** Endpoints it applies to; all that build when absent. */
  readonly endpoints?: readonly EndpointName[];
  /** Runs when the attack is switched on. What it returns, if anything, runs when it is switched off. */
  readonly begin?: (tools: AttackTools) => (() => void) | undefined;
  readonly request?: RequestHook;
  readonly draft?: DraftHook;
  readonly answer?: AnswerHook;
  /** What changes on the chain between the signature and the landing. Only ever played on a throw-away copy. */
  readonly meanwhile?: (copy: SandboxChain, wallet: Address, tools: AttackTools) => void;
  /** What the attacker, who pays and signs, does once it has landed. Only ever played on a throw-away copy. */
  readonly afterwards?: (wallet: Address, tools: AttackTools) => readonly EncodedInstruction[];
}

/** An attack that the service plays. */
export const service = (attack: Omit<Attack, 'plays'>): Attack => ({ plays: 'service', ...attack });

/** Attacks by name, as each file of them offers them. */
export type Attacks = Readonly<Record<string, Attack>>;

export type Fields = Readonly<Record<string, unknown>>;

/** A hook for attacks that are not in the registry. */
export type HostileHook = (
  endpoint: EndpointName,
  answer: unknown,
  context: { readonly request: Fields; readonly tools: AttackTools },
) => unknown;
