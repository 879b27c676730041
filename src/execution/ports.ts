/**
 * Dependencies of the execution layer. All access to keys, network and time goes through them, so that the runner is
 * plain logic.
 */

import type { AnswerCheck } from '../approval/answers.ts';
import type { ApprovalChannel } from '../approval/types.ts';
import type { Clock } from '../clock.ts';
import type { ApprovalRow, Ledger, LimitSpec } from '../ledger/types.ts';
import type { DecodedStage } from '../plan/decodedStage.ts';
import type { RequestedConfig, TokenNames } from '../plan/notes.ts';
import type { JudgedPlan, Mode, Plan, Stage, StageStatus } from '../plan/types.ts';
import type { GuardStage } from '../policy/decide/statement/guards.ts';
import type { Decision, DecisionInputs, LedgerView, StoredQuote } from '../policy/decide/types.ts';
import type { Policy } from '../policy/file/schema.ts';
import type { Chain, RehearsalFact } from '../rpc/types.ts';
import type { Address } from '../transaction/types.ts';
import type { WireEncoding } from '../transaction/wire.ts';

/** What a signer may sign; it may refuse any other message. */
export interface SignPermit {
  readonly messageSha256: string;
  readonly decisionId: string;
}

/** Signs for one address. Receives only the message that was decided on. */
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

/** The current policy. Read before every decision, so that a changed file stops signing (F53). */
export interface ActivePolicy {
  readonly hash: string;
  /** Limits that span several transactions. */
  readonly limits: readonly LimitSpec[];
  readonly approval: {
    readonly ttlMs: number;
    readonly channels: readonly ApprovalChannel['name'][];
  };
  /** Labels wallets and addresses; absent if no policy is in force. */
  readonly policy?: Pick<Policy, 'wallets' | 'addressBook' | 'rehearsal'>;
  /** Whether guards are added to stages that support them. */
  readonly hasGuards?: boolean;
  /** Signing freezes after `count` distinct messages are denied for security within `windowMs`. */
  readonly freezeAfter?: { readonly count: number; readonly windowMs: number };
  /** Decides a stage. `guard` appends guards to its bytes; absent if guards are not allowed. */
  decide(
    inputs: DecisionInputs,
    view: LedgerView,
  ): { readonly decision: Decision; readonly guard?: GuardStage | undefined };
}

/** Input of `gather`. */
export interface GatherInput {
  readonly plan: JudgedPlan;
  /** The exact candidate. */
  readonly stage: Stage;
  readonly siblings: readonly { readonly stage: Stage; readonly status: StageStatus }[];
  /** Landed lookup-table setups of the intent that are not stages of this plan, oldest first. */
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
  /** Names under which this home registered the token of a launch. */
  readonly named?: TokenNames;
  /** The fee share config this home requested before a launch. */
  readonly asked?: RequestedConfig;
  /** Result of rehearsing this build of the plan. */
  readonly rehearsal?: RehearsalFact;
}

/** Intervals and limits of retries. Milliseconds. */
export interface Timing {
  /** Between two polls of the status of a signature that has not landed. */
  readonly pollMs: number;
  /**
   * Between two rounds for a signature that is not on chain: each checks whether it has expired, and resends the same
   * bytes if not. Also between two polls for the slot an optional stage waits for.
   */
  readonly resendMs: number;
  /** First wait before the service is asked for a plan again; doubles up to `askAgainMaxMs`. */
  readonly askAgainMs: number;
  readonly askAgainMaxMs: number;
  /** Maximum number of times one run asks the service for the same plan again. */
  readonly askAgainTimes: number;
  /** How long an expired signature may remain without a verdict before a run gives up. */
  readonly doubtMs: number;
  /** Lifetime of a lease without renewal. */
  readonly leaseMs: number;
  /** How long starting work waits for another process that holds the wallet. */
  readonly busyMs: number;
  /** Timeout of a signer. */
  readonly signMs: number;
  /** Between two polls of an unanswered question. */
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

/** The embedded chain is a local process, so frequent polling is cheap. */
export const SANDBOX_TIMING: Timing = {
  ...LIVE_TIMING,
  pollMs: 40,
  askAgainMs: 200,
  askAgainMaxMs: 1_000,
  signMs: 5_000,
};

/** Dependencies of `createExecution`. */
export interface ExecutionDeps {
  readonly mode: Mode;
  /** The requesting principal, where a server works for several. */
  readonly principal?: string;
  readonly ledger: Ledger;
  readonly chain: Chain;
  /** A second RPC: if present, a transaction counts as landed only when both show it (F35). */
  readonly secondChain?: Chain;
  readonly clock: Clock;
  readonly wallets: Wallets;
  policy(): Promise<ActivePolicy>;
  gather(input: GatherInput): Promise<DecisionInputs>;
  /** Simulates the stages of a plan on a copy of the chain; absent if rehearsal is unavailable. Never rejects. */
  readonly rehearse?: (plan: Plan, own: readonly Address[]) => Promise<RehearsalFact>;
  /** Repeats a request to the service or a local builder. Resolves to the payload inside the response envelope. */
  readonly service: {
    call(endpoint: string, fields: Readonly<Record<string, unknown>>): Promise<unknown>;
  };
  /** Returns the encoding of an endpoint's bare transactions, from the service profile. */
  encodingOf(endpoint: string): WireEncoding;
  /** Checks a stored approval. Absent: no approval counts in live mode. */
  readonly answerHolds?: AnswerCheck;
  /** Seals that a run has begun under its approval, once its first signature is in the journal. */
  readonly runBegan?: (approval: ApprovalRow) => Promise<void>;
  /** Ways to reach a person. */
  readonly channels?: readonly ApprovalChannel[];
  readonly timing?: Partial<Timing>;
  /** Records which owner key verifies the answer to a question. */
  readonly recordVerifier?: (approvalId: string) => Promise<void>;
  /** Returns where the owner can answer a question, as text for a result. */
  readonly answerAt?: (approvalId: string) => string;
  /** The name this process leases wallets under. */
  readonly holder?: string;
  /** Receives messages about background work. Never receives untrusted text or bytes. */
  readonly log?: (message: string) => void;
}
