/**
 * Types of the policy: inputs, decisions and reason codes. Inputs and decisions are JSON, so past decisions can be replayed
 * exactly.
 */

import type { DecodedStage } from '../../plan/decodedStage.ts';
import type { RequestedConfig, TokenNames } from '../../plan/notes.ts';
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

/** Findings that need the owner's approval even when a rule allows the operation. */
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

/**
 * Reason codes by class, in order of precedence. Stable: external programs rely on them. Specific codes precede general ones:
 * an appended token approval is DELEGATE_GRANTED before UNEXPECTED_INSTRUCTION.
 */
export const REASON_ORDER = [
  // A freeze explains every refusal, so it comes first.
  ['policy', ['FROZEN', 'POLICY_MISSING', 'POLICY_INVALID', 'POLICY_CHANGED']],
  [
    'security',
    [
      'NONCANONICAL_BYTES',
      'FORMAT_MISMATCH',
      'COSIGNATURE_INVALID',
      'HASH_MISMATCH',
      'DURABLE_NONCE',
      'FEE_PAYER_MISMATCH',
      'SIGNERS_MISMATCH',
      'LIFETIME_MISMATCH',
      'FEE_OVER',
      'LOOKUP_TABLE_UNRESOLVED',
      'AUTHORITY_CHANGE',
      'DELEGATE_GRANTED',
      'PROGRAM_NOT_ALLOWED',
      'INSTRUCTION_MISFIT',
      'INSTRUCTION_UNKNOWN',
      'RECIPIENT_LOOKALIKE',
      'UNDECLARED_LOSS',
      'UNEXPECTED_INSTRUCTION',
      'REQUEST_MISMATCH',
    ],
  ],
  ['policy', ['TOKEN_EXTENSION_DENIED', 'NO_RULE', 'RECIPIENT_NOT_ALLOWED']],
  ['input', ['REPLAY', 'IN_DOUBT', 'STAGE_ORDER']],
  ['policy', ['LIMIT_EXCEEDED', 'RATE_LIMITED']],
  [
    'availability',
    ['SIGNER_UNAVAILABLE', 'REHEARSAL_FAILED', 'RPC_DISAGREE', 'SIMULATION_FAILED', 'SIMULATION_UNAVAILABLE'],
  ],
  ['policy', ['PERSON_DENIED', 'APPROVAL_EXPIRED', 'APPROVAL_REQUIRED', ...ASK_CODES]],
] as const;
export type ReasonCode = (typeof REASON_ORDER)[number][1][number];
export const REASON_CODES = REASON_ORDER.flatMap(([, codes]): readonly ReasonCode[] => codes);

export type Effect = 'allow' | 'deny' | 'require_approval';

/** `exact`: every instruction is supported. `effects`: simulated effects stand in for unsupported instructions. */
export type Binding = 'exact' | 'effects';

/** `SOL` (native and wrapped as one) or a mint address. */
export type Asset = string;

/** Input of `evaluate()`, besides the policy and the ledger view. JSON. */
export interface DecisionInputs {
  /** Milliseconds since the epoch, not before the ledger's latest entry. */
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
    /** Endpoint and fields of the request, and the answer without transactions. */
    readonly endpoint: string;
    readonly request: Readonly<Record<string, unknown>>;
    readonly answer: Readonly<Record<string, unknown>>;
  };
  /** The stage under decision; `transaction` is the exact candidate (blockhash refreshed where allowed). */
  readonly stage: Stage;
  /** All stages of the plan with their journal status. */
  readonly siblings: readonly { readonly stage: Stage; readonly status: StageStatus }[];
  /** Landed lookup table setups of this intent from earlier builds, oldest first. */
  readonly earlierSetups?: readonly DecodedStage[];
  /** Stages of earlier builds of this plan that landed or may still land, oldest first. */
  readonly earlierStages?: readonly DecodedStage[];
  /** Set if the RPC is on this machine (`127.0.0.1`, `::1`, `localhost`). */
  readonly localRpc?: true;
  /** Required signers that this home can sign for. */
  readonly ourWallets: readonly Address[];
  /** Whether our RPC calls the blockhash valid at `confirmed`; `null` if it gave no answer. */
  readonly blockhashValid: boolean | null;
  /** Slot of that answer. */
  readonly blockhashSlot?: number;
  /** Slot of the other chain data. */
  readonly slot: number;
  readonly tables: readonly LookupTableFact[];
  /** Current state of the accounts that the transaction uses (mints, token accounts, configs …). */
  readonly accounts: readonly AccountFact[];
  readonly simulation: SimulationFact;
  /** Deployments of called programs. */
  readonly programs?: readonly ProgramFact[];
  /** The quote of a swap, fetched by this home. */
  readonly quote?: StoredQuote;
  /** Set if this home has bought or launched the quoted output token in a finalized operation. */
  readonly held?: true;
  /** Registered names of the launched token. */
  readonly named?: TokenNames;
  /** The config that this home requested before a launch. */
  readonly asked?: RequestedConfig;
  /** Labelled addresses of the service profile. They avoid some questions but never satisfy a rule. */
  readonly serviceAddresses: readonly { readonly label: string; readonly address: Address }[];
  /** Parameters of the rent-exempt minimum, from our RPC. */
  readonly rent: { readonly lamportsPerByteYearTimesExemption: string; readonly overheadBytes: number };
  /**
   * Guards; absent if the stage can have none. `count`: number of guards at the end of the transaction, 0 if they do not
   * fit. `second`: the wallet and its token accounts from the second RPC, if there is one.
   */
  readonly guards?: { readonly count: number; readonly second?: readonly AccountFact[] };
  /** Result of the rehearsal before the plan's first signature, if there was one. Can only deny or ask. */
  readonly rehearsal?: RehearsalFact;
  /** Whether the second RPC shows the same tables, blockhash and accounts; absent if there is none. */
  readonly secondRpc?: { readonly agrees: boolean };
}

/** Serialized inputs: transactions are strings. */
export type DecisionInputsJson = Omit<
  DecisionInputs,
  'stage' | 'siblings' | 'earlierSetups' | 'earlierStages'
> & {
  readonly stage: StageJson;
  readonly siblings: readonly { readonly stage: StageJson; readonly status: StageStatus }[];
  readonly earlierSetups?: readonly string[] | undefined;
  readonly earlierStages?: readonly string[] | undefined;
};

/** A quote fetched by this home: request, response, and expiry in milliseconds since the epoch. */
export interface StoredQuote {
  readonly request: Readonly<Record<string, unknown>>;
  readonly quote: Readonly<Record<string, unknown>>;
  readonly expiresAt: number;
}

/** Ledger data for a decision. JSON. */
export interface LedgerView {
  /** Use of each limit in its window (settled, reserved and in doubt), as a decimal string, by limit id. */
  readonly used: Readonly<Record<string, string>>;
  /** Limits that count as used up after a lost ledger was accepted: end in milliseconds since the epoch, by limit id. */
  readonly exhausted?: Readonly<Record<string, number>>;
  /** The signed message of this intent and stage that has landed or is unresolved. */
  readonly earlier?: { readonly messageSha256: string; readonly status: StageStatus };
  readonly frozen?: { readonly since: number; readonly reason: string };
  /** Assets that guards enforced for an earlier signature of the stage. */
  readonly enforced?: readonly Asset[];
  /** An approval that covers this message of the stage. */
  readonly approval?: { readonly id: string; readonly messageSha256: string; readonly expiresAt: number };
  /** Whether an approval of this run, requested or granted, has expired. */
  readonly approvalExpired?: boolean;
}

/** A recorded check, with the observed and the allowed value as text. Contains no untrusted text. */
export interface Check extends Named {
  readonly ok: boolean;
  readonly observed?: string;
  readonly allowed?: string;
  readonly code?: ReasonCode;
  /** Overrides the default class of the code: an expired blockhash is not an attack. */
  readonly class?: Decision['class'];
}

/** Maximum out and minimum in of one asset, in base units as decimal strings. */
export interface AssetChange {
  readonly asset: Asset;
  readonly out: string;
  readonly in: string;
}

/** A stage's use of a limit: base units of an asset, or a number of plans. */
export interface LimitUse {
  readonly limitId: string;
  /** The limited asset, or `any` token; absent for counts of plans. */
  readonly asset?: Asset | 'any';
  /** Decimals of the token, if its mint is known. */
  readonly decimals?: number;
  readonly amount: string;
  readonly max: string;
  readonly usedBefore: string;
}

/** The outcome of `evaluate()`. */
export interface Decision {
  readonly effect: Effect;
  /** Empty if and only if the effect is `allow`. The first code decides. */
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
  /** Statement lines of the stage (`src/statement/`), with amounts as decimal strings; absent if the stage is denied. */
  readonly statement?: unknown;
  /** Hex SHA-256 of the message without guards and with a zero blockhash; present with every statement. */
  readonly bytesDigest?: string;
  /** Present if an instruction is unsupported. */
  readonly pin?: Pin;
  readonly feeLamports: string;
  readonly limits: readonly LimitUse[];
  /** Expected outcome of the request; present if the owner is asked or later stages are not built yet. */
  readonly expectedOutcome?: ExpectedOutcome;
  readonly policyId: string;
  readonly policyHash: string;
  /** Hex SHA-256 of the canonical JSON of the inputs. */
  readonly inputsDigest: string;
  /** Whether the decision was made without a simulation. */
  readonly staticOnly: boolean;
}
