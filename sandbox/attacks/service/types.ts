/**
 * What an attack is: an honest answer gone wrong in one way. Attacks come in at four places: before anything is asked
 * (accounts on the chain), before the service builds (the request it believes), between instruction list and bytes
 * (so that its co-signatures stay valid), and on the finished answer.
 */
import type { EndpointName } from '../../../src/contract/index.ts';
import type { EncodedInstruction } from '../../../src/programs/instructions.ts';
import type { SandboxChain } from '../../chain/chain.ts';
import type { Draft } from '../../service/build/compile.ts';
import type { AttackTools, DraftPlace, Fields } from '../../service/hostile.ts';

export type { AttackTools, DraftPlace, Fields, HostileHook } from '../../service/hostile.ts';

import type { Address } from '../../../src/transaction/types.ts';

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
  /** Row of docs/safety.md. */
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
