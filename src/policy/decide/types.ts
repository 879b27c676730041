/**
 * The types of the policy: the inputs it is given, the decision it returns, the reasons it may name.
 * Inputs and decisions are JSON, so any past decision can be replayed byte for byte.
 */

import type { AskedConfig } from '../../plan/askedConfig.ts';
import type { DecodedStage } from '../../plan/decodedStage.ts';
import type { TokenNames } from '../../plan/tokenNames.ts';
import type { Mode, Operation, Stage, StageJson, StageStatus } from '../../plan/types.ts';
import type {
  AccountFact,
  LookupTableFact,
  ProgramFact,
  RehearsalFact,
  SimulationFact,
} from '../../rpc/types.ts';
import type { Pin } from '../../statement/types.ts';
import type { Address } from '../../transaction/types.ts';
import type { ExpectedOutcome } from './operations/expectedOutcome.ts';
import type { Named } from './words/names.ts';

/** Findings that the owner decides, whatever the rule allows. */
export const ASK_CODES = [
  'UNSUPPORTED_INSTRUCTION',
  'READING_INFERRED',
  'CODE_REPLACED',
  'TERM_DIFFERS',
  'TERM_UNKNOWN',
  'POOL_LAUNCH',
  'PARTY_UNKNOWN',
  'NAME_UNREGISTERED',
  'PAYEE_UNKNOWN',
  'NETWORK_FEE_HIGH',
  'ISSUER_POWER',
  'FIRST_PURCHASE',
  'PRICE_DEVIATES',
  'CLAIM_COSTS_MORE',
  'RUN_OVER_BUDGET',
  'LIMIT_MISSING',
  'REHEARSAL_MISSING',
  'NOT_ENFORCED',
] as const;
export type AskCode = (typeof ASK_CODES)[number];

/** Stable reason codes. Outside programs rely on these names. */
export const REASON_CODES = [
  'HASH_MISMATCH',
  'NONCANONICAL_BYTES',
  'COSIGNATURE_INVALID',
  'SIGNERS_MISMATCH',
  'SIGNER_UNAVAILABLE',
  'FEE_PAYER_MISMATCH',
  'FORMAT_MISMATCH',
  'DURABLE_NONCE',
  'LIFETIME_MISMATCH',
  'FEE_OVER',
  'LOOKUP_TABLE_UNRESOLVED',
  'PROGRAM_NOT_ALLOWED',
  'INSTRUCTION_UNKNOWN',
  'INSTRUCTION_MISFIT',
  'UNEXPECTED_INSTRUCTION',
  'AUTHORITY_CHANGE',
  'DELEGATE_GRANTED',
  'UNDECLARED_LOSS',
  'LIMIT_EXCEEDED',
  'RECIPIENT_NOT_ALLOWED',
  'RECIPIENT_LOOKALIKE',
  'TOKEN_EXTENSION_DENIED',
  'REQUEST_MISMATCH',
  'STAGE_ORDER',
  'REPLAY',
  'IN_DOUBT',
  'SIMULATION_FAILED',
  'SIMULATION_UNAVAILABLE',
  'RPC_DISAGREE',
  'REHEARSAL_FAILED',
  'APPROVAL_REQUIRED',
  'APPROVAL_EXPIRED',
  'PERSON_DENIED',
  'RATE_LIMITED',
  'FROZEN',
  'POLICY_MISSING',
  'POLICY_INVALID',
  'POLICY_CHANGED',
  'NO_RULE',
  ...ASK_CODES,
] as const;
export type ReasonCode = (typeof REASON_CODES)[number];

export type Effect = 'allow' | 'deny' | 'require_approval';

/** How far the bytes were understood: every instruction decoded, or the simulated effects carry the binding. */
export type Binding = 'exact' | 'effects';

/** `SOL` (native and wrapped as one) or a mint address. */
export type Asset = string;

/** Everything `evaluate()` may look at besides the policy and the ledger view. JSON. */
export interface DecisionInputs {
  /** Milliseconds since the epoch, never less than the ledger's newest. */
  readonly time: number;
  readonly mode: Mode;
  /** `preview`: advice in a build result or review. `sign`: the decision right before a signature. */
  readonly purpose: 'preview' | 'sign';
  /** Genesis hash our own RPC reports. */
  readonly network: string;
  readonly plan: {
    readonly planId: string;
    readonly operation: Operation;
    readonly intentKey: string;
    readonly network: string;
    readonly mode: Mode;
    readonly wallet: Address;
    /** Endpoint and fields that asked for the plan, and the answer without transaction strings. */
    readonly endpoint: string;
    readonly request: Readonly<Record<string, unknown>>;
    readonly answer: Readonly<Record<string, unknown>>;
  };
  /** The stage under decision; `transaction` is the exact candidate (blockhash refreshed where allowed). */
  readonly stage: Stage;
  /** All stages of the plan with their journal status, for order and for the plan's own lookup table. */
  readonly siblings: readonly { readonly stage: Stage; readonly status: StageStatus }[];
  /** Lookup-table setups of this intent that landed and are no stage of this plan, oldest first. */
  readonly earlierSetups?: readonly DecodedStage[];
  /** Stages of earlier builds of this plan that landed or may still land, oldest first. */
  readonly earlierStages?: readonly DecodedStage[];
  /** The RPC in use is one of this machine (`127.0.0.1`, `::1`, `localhost`); absent where it is not. */
  readonly localRpc?: true;
  /** Which of the required signers this home can sign for. */
  readonly ourWallets: readonly Address[];
  /** Is the message's blockhash valid at `confirmed` for our own RPC; `null` when it could not be asked. */
  readonly blockhashValid: boolean | null;
  /** The slot of the view that said so. */
  readonly blockhashSlot?: number;
  /** Slot of the view the other chain facts were read from. */
  readonly slot: number;
  readonly tables: readonly LookupTableFact[];
  /** Accounts the transaction touches, as they are now (mints, token accounts, the config account …). */
  readonly accounts: readonly AccountFact[];
  readonly simulation: SimulationFact;
  /** The programs called whose instructions cannot be read; absent where there are none. */
  readonly programs?: readonly ProgramFact[];
  /** The stored quote behind a swap: what this home itself fetched, and when it expires. */
  readonly quote?: StoredQuote;
  /** A final swap or launch of this home brought or made the token that the quote buys; absent where none did. */
  readonly held?: true;
  /** What this home registered the token of a launch as. */
  readonly named?: TokenNames;
  /** The config that this home asked for before a launch. */
  readonly asked?: AskedConfig;
  /** Known addresses of the service profile, labelled. They allow nothing; what a curve leaves over may go there unasked. */
  readonly serviceAddresses: readonly { readonly label: string; readonly address: Address }[];
  /** Rent-exempt minimum by account size, as our RPC states it: `[bytes, lamports]` pairs used for rent estimates. */
  readonly rent: { readonly lamportsPerByteYearTimesExemption: string; readonly overheadBytes: number };
  /**
   * Absent where the stage may get no guards. `count`: guards at the end of the bytes, 0 where they do not fit; `second`:
   * the wallet and its token accounts as a second RPC shows them, absent where there is none.
   */
  readonly guards?: { readonly count: number; readonly second?: readonly AccountFact[] };
  /** The plan played before its first signature; absent where that was not due, or not yet. It only denies or asks. */
  readonly rehearsal?: RehearsalFact;
  /** Whether a second RPC was asked and saw the same tables, blockhash and accounts; absent when there is none. */
  readonly secondRpc?: { readonly agrees: boolean };
}

/** Inputs as JSON says them: transactions are text. */
export type DecisionInputsJson = Omit<
  DecisionInputs,
  'stage' | 'siblings' | 'earlierSetups' | 'earlierStages'
> & {
  readonly stage: StageJson;
  readonly siblings: readonly { readonly stage: StageJson; readonly status: StageStatus }[];
  readonly earlierSetups?: readonly string[] | undefined;
  readonly earlierStages?: readonly string[] | undefined;
};

/** A quote this home fetched: what it asked, what came back, and until when it counts (ms since the epoch). */
export interface StoredQuote {
  readonly request: Readonly<Record<string, unknown>>;
  readonly quote: Readonly<Record<string, unknown>>;
  readonly expiresAt: number;
}

/** What the ledger knows that bears on a decision. JSON. */
export interface LedgerView {
  /** Used (settled + reserved + in doubt) within each limit's window, decimal string, by limit id. */
  readonly used: Readonly<Record<string, string>>;
  /** Limits that count as used since a lost ledger was accepted: until when, milliseconds since the epoch, by limit id. */
  readonly exhausted?: Readonly<Record<string, number>>;
  /** The signed message of this intent and stage, if any is still unresolved or already landed. */
  readonly earlier?: { readonly messageSha256: string; readonly status: StageStatus };
  readonly frozen?: { readonly since: number; readonly reason: string };
  /** Assets whose bounds the chain enforced for an earlier signature of the stage. */
  readonly enforced?: readonly Asset[];
  /** An approval that covers the run with exactly this message of the stage. */
  readonly approval?: { readonly id: string; readonly messageSha256: string; readonly expiresAt: number };
  /** An approval that was asked or granted for this run and has expired. */
  readonly approvalExpired?: boolean;
}

/** One check as recorded: what was seen and what would have been allowed, for people. No untrusted text. */
export interface Check extends Named {
  readonly ok: boolean;
  readonly observed?: string;
  readonly allowed?: string;
  readonly code?: ReasonCode;
  /** The class, where the code's usual one would be wrong (an expired blockhash is no attack). */
  readonly class?: Decision['class'];
}

/** What may leave or must arrive, per asset, base units as decimal strings. */
export interface AssetChange {
  readonly asset: Asset;
  readonly out: string;
  readonly in: string;
}

/** An amount a stage takes from a limit when it is signed: base units of an asset, or plans. */
export interface LimitUse {
  readonly limitId: string;
  /** What the limit is about: an asset, or `any` token; absent where it counts plans. */
  readonly asset?: Asset | 'any';
  /** Decimals of that token, where its mint could be read. */
  readonly decimals?: number;
  readonly amount: string;
  readonly max: string;
  readonly usedBefore: string;
}

/** The outcome of `evaluate()`. */
export interface Decision {
  readonly effect: Effect;
  /** Empty exactly when the effect is `allow`. The first is the one that decided. */
  readonly reasonCodes: readonly ReasonCode[];
  readonly operation: Operation;
  /** `security` counts toward the automatic freeze. */
  readonly class: 'allowed' | 'input' | 'policy' | 'security' | 'availability';
  readonly ruleId?: string;
  readonly binding: Binding;
  readonly messageSha256: string;
  readonly checks: readonly Check[];
  readonly changes: readonly AssetChange[];
  readonly recipients: readonly {
    readonly address: Address;
    readonly role: string;
    readonly label?: string;
  }[];
  /** The lines of the stage (`src/statement/`), amounts as decimal strings; absent where the stage is denied. */
  readonly statement?: unknown;
  /** Hex SHA-256 of the message with zeros for its blockhash; beside every statement. */
  readonly bytesDigest?: string;
  /** Present where an instruction is unsupported. */
  readonly pin?: Pin;
  readonly feeLamports: string;
  readonly limits: readonly LimitUse[];
  /** The expected outcome of the request. Present where the owner is asked or a stage is not built yet. */
  readonly expectedOutcome?: ExpectedOutcome;
  readonly policyId: string;
  readonly policyHash: string;
  /** Hex SHA-256 of the canonical JSON of the inputs. */
  readonly inputsDigest: string;
  /** True when the stage could not be simulated yet and only static rules were applied. */
  readonly staticOnly: boolean;
}
