/**
 * An attack changes an honest answer in one way, at one of four points: accounts on the chain before the request, the request,
 * the draft before it is compiled (so that co-signatures stay valid), or the finished answer.
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
  request: Fields,
  tools: AttackTools,
  endpoint: EndpointName,
) => unknown;

/** An attack. All hooks are optional. */
export interface Attack {
  /** Row of docs/safety.md. */
  readonly row: string;
  /** The hostile party: the service, the traded token, or the chain as shown by the RPC. */
  readonly plays: 'service' | 'token' | 'chain';
  /** One sentence: what it does. */
  readonly does: string;
  /** What a signature would cost. */
  readonly takes: string;
  /** The policy's reason code for it. */
  readonly code: string;
  /** Endpoints it applies to; all that build when absent. */
  readonly endpoints?: readonly EndpointName[];
  /** Runs when the attack starts. An optional result runs when it ends. */
  readonly begin?: (tools: AttackTools) => (() => void) | undefined;
  readonly request?: RequestHook;
  readonly draft?: DraftHook;
  readonly answer?: AnswerHook;
  /** Changes the chain between signature and landing; in trials only. */
  readonly meanwhile?: (copy: SandboxChain, wallet: Address, tools: AttackTools) => void;
  /** Returns the attacker's instructions after the landing; in trials only. */
  readonly afterwards?: (wallet: Address, tools: AttackTools) => readonly EncodedInstruction[];
}

/** Defines an attack of the service. */
export const service = (attack: Omit<Attack, 'plays'>): Attack => ({ plays: 'service', ...attack });

/** Attacks by name. */
export type Attacks = Readonly<Record<string, Attack>>;
