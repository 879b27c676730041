/**
 * What executing a plan needs from the rest of the program. Everything that touches a key, the network or time is
 * here, so that the runner is plain logic over these.
 */

import type { AnswerCheck } from '../approval/answers.ts';
import type { ApprovalChannel } from '../approval/types.ts';
import type { Clock } from '../clock.ts';
import type { LimitSpec } from '../ledger/limits.ts';
import type { ApprovalRow, Ledger } from '../ledger/types.ts';
import type { AskedConfig } from '../plan/askedConfig.ts';
import type { DecodedStage } from '../plan/decodedStage.ts';
import type { TokenNames } from '../plan/tokenNames.ts';
import type { JudgedPlan, Mode, Plan, Stage, StageStatus } from '../plan/types.ts';
import type { GuardStage } from '../policy/decide/statement/guards.ts';
import type { Decision, DecisionInputs, LedgerView, StoredQuote } from '../policy/decide/types.ts';
import type { Policy } from '../policy/file/schema.ts';
import type { Chain, RehearsalFact } from '../rpc/types.ts';
import type { Address } from '../transaction/types.ts';
import type { WireEncoding } from '../transaction/wire.ts';

/** What a signer is told it signs for; it may refuse anything else. */
export interface SignPermit {
  readonly messageSha256: string;
  readonly decisionId: string;
}

/** Signs for one address. It never sees a transaction, only a message that was decided on. */
export interface Signer {
  readonly address: Address;
  sign(message: Uint8Array, permit: SignPermit): Uint8Array | Promise<Uint8Array>;
}

/** The wallets of this home. Listing them needs no unlocked key; signing may. */
export interface Wallets {
  addresses(): Promise<readonly Address[]>;
  /** Rejects with an error that says how to unlock when the store is locked (F49). */
  signer(address: Address): Promise<Signer>;
}

/** The policy as it is now. Read before every decision, so that a changed file stops signing (F53). */
export interface ActivePolicy {
  readonly hash: string;
  /** The limits that span more than one transaction. */
  readonly limits: readonly LimitSpec[];
  readonly approval: {
    readonly ttlMs: number;
    readonly channels: readonly ApprovalChannel['name'][];
  };
  /** Names wallets and addresses; absent where no policy is in force. */
  readonly policy?: Pick<Policy, 'wallets' | 'addressBook' | 'rehearsal'>;
  /** Whether stages get guards where they may. */
  readonly hasGuards?: boolean;
  /** So many distinct messages denied for security within the window freeze signing. */
  readonly freezeAfter?: { readonly count: number; readonly windowMs: number };
  /** Decides a stage. `guard` appends guards to its bytes; absent where it may get none. */
  decide(
    inputs: DecisionInputs,
    view: LedgerView,
  ): { readonly decision: Decision; readonly guard?: GuardStage | undefined };
}

/** What inputs are gathered about. */
export interface GatherInput {
  readonly plan: JudgedPlan;
  /** The exact candidate. */
  readonly stage: Stage;
  readonly siblings: readonly { readonly stage: Stage; readonly status: StageStatus }[];
  /** Lookup-table setups of the intent that landed and are no stage of this plan, oldest first. */
  readonly earlierSetups?: readonly DecodedStage[];
  /** Stages of earlier revisions of this plan that landed or may still land. */
  readonly earlierStages?: readonly DecodedStage[];
  readonly purpose: 'preview' | 'sign';
  readonly mode: Mode;
  /** Milliseconds since the epoch, from the ledger. */
  readonly time: number;
  readonly ourWallets: readonly Address[];
  /** The stored quote behind a swap. */
  readonly quote?: StoredQuote;
  /** This home bought or launched the token that the quote buys. */
  readonly held?: true;
  /** What this home registered the token of a launch as. */
  readonly named?: TokenNames;
  /** The config that this home asked for before a launch. */
  readonly asked?: AskedConfig;
  /** How this build of the plan ended when it was rehearsed. */
  readonly rehearsal?: RehearsalFact;
}

/** How often and how long things are tried. Milliseconds. */
export interface Timing {
  /** Between two looks at the status of a signature that has not landed. */
  readonly pollMs: number;
  /**
   * Between two rounds for a signature that is not on the chain: each judges whether it is dead, and sends the same bytes
   * again when it is not. Also between two looks at the slot an optional stage waits for.
   */
  readonly resendMs: number;
  /** First wait before the service is asked for a plan again; it doubles up to `askAgainMaxMs`. */
  readonly askAgainMs: number;
  readonly askAgainMaxMs: number;
  /** How often one run asks the service for the same plan again. */
  readonly askAgainTimes: number;
  /** How long a signature whose lifetime has passed may stay without a verdict before a run gives up. */
  readonly doubtMs: number;
  /** How long a lease lives without being renewed. */
  readonly leaseMs: number;
  /** How long a start of work waits for another process that holds the wallet. */
  readonly busyMs: number;
  /** How long a signer may take. */
  readonly signMs: number;
  /** Between two looks at a question a person has not answered yet. */
  readonly answerMs: number;
}

export const LIVE_TIMING: Timing = {
  pollMs: 400,
  resendMs: 2_000,
  askAgainMs: 500,
  askAgainMaxMs: 5_000,
  askAgainTimes: 20,
  doubtMs: 30_000,
  leaseMs: 30_000,
  busyMs: 2_000,
  signMs: 30_000,
  answerMs: 1_000,
};

/** The embedded chain is one process away, so looking often costs nothing. */
export const SANDBOX_TIMING: Timing = {
  ...LIVE_TIMING,
  pollMs: 40,
  askAgainMs: 200,
  askAgainMaxMs: 1_000,
  signMs: 5_000,
};

/** Everything `createExecution` is made of. */
export interface ExecutionDeps {
  readonly mode: Mode;
  /** Who asks, where a server works for several principals. */
  readonly principal?: string;
  readonly ledger: Ledger;
  readonly chain: Chain;
  /** A second RPC: where there is one, a landing counts only when both know of it (F35). */
  readonly secondChain?: Chain;
  readonly clock: Clock;
  readonly wallets: Wallets;
  policy(): Promise<ActivePolicy>;
  gather(input: GatherInput): Promise<DecisionInputs>;
  /** Plays the stages of a plan on a copy of the chain; absent where nothing is rehearsed. Never rejects. */
  readonly rehearse?: (plan: Plan, own: readonly Address[]) => Promise<RehearsalFact>;
  /** Asks the same request again: the service, or what builds such plans here. The answer is the envelope's payload. */
  readonly service: {
    call(endpoint: string, fields: Readonly<Record<string, unknown>>): Promise<unknown>;
  };
  /** Encoding of bare transactions of an endpoint, from the service profile. */
  encodingOf(endpoint: string): WireEncoding;
  /** Checks a stored approval. Absent: none counts in live mode. */
  readonly answerHolds?: AnswerCheck;
  /** Seals that a run has begun under its approval, once its first signature is in the journal. */
  readonly runBegan?: (approval: ApprovalRow) => Promise<void>;
  /** Ways to reach a person. */
  readonly channels?: readonly ApprovalChannel[];
  readonly timing?: Partial<Timing>;
  /** Notes which owner key the answer to a question is verified with. */
  readonly noteAsked?: (approvalId: string) => Promise<void>;
  /** Where a person of this home answers a question, in words for a result. */
  readonly answerAt?: (approvalId: string) => string;
  /** The name this process leases wallets under. */
  readonly holder?: string;
  /** Called with messages about background work. Never gets untrusted text or bytes. */
  readonly log?: (message: string) => void;
}
