/**
 * Types of staged plans, the model of everything that must be signed: plan endpoints, the custody bundle, swaps, claims,
 * bare launch transactions. Pure data; statuses are in the ledger's journal.
 */
import type { Address, TransactionFormat } from '../transaction/types.ts';
import type { DecodedStage } from './decodedStage.ts';

/** Operations of the policy. `CREATE_TOKEN` belongs to `launch`, legacy configs to `config`. */
export const OPERATIONS = [
  'config',
  'manager_update',
  'launch',
  'holding_claim',
  'position_claim',
  'vault_claim',
  'deployer_claim',
  'swap',
  'send',
  'unwrap',
  'lookup_table_setup',
  'lookup_table_deactivate',
  'lookup_table_close',
] as const;
export type Operation = (typeof OPERATIONS)[number];
/** Operation of a plan. `claim_all` joins several claims, each of which is checked as its own operation. */
export type PlanOperation = Operation | 'claim_all';

/** Kinds of stages. The first five are the service's; the others are for bundles, bare answers and local plans. */
export const STAGE_KINDS = [
  'config',
  'claim',
  'manager_update',
  'launch',
  'lookup_table_setup',
  'create_token',
  'lookup_table_deactivate',
  'lookup_table_close',
  'swap',
  'send',
  'unwrap',
] as const;
export type StageKind = (typeof STAGE_KINDS)[number];

export type Mode = 'sandbox' | 'live';

/** The service's declarations about a stage. Undeclared fields are absent and never count as passed checks. */
export interface DeclaredStage {
  readonly messageSha256?: string;
  readonly requiredSigners?: readonly Address[];
  readonly blockhash?: string;
  /** Decimal string. Only recorded: decisions use the height from our own RPC. */
  readonly lastValidBlockHeight?: string;
}

/** One transaction of a plan. */
export interface Stage {
  readonly id: string;
  readonly kind: StageKind;
  /** Declared format, or the actual one if the service declares none. */
  readonly format: TransactionFormat;
  readonly dependsOn: readonly string[];
  /** The transaction, unchanged. */
  readonly transaction: DecodedStage;
  readonly declared: DeclaredStage;
  /** Whether the plan is complete without this stage (`LUT_CLOSE`). */
  readonly optional: boolean;
  /** `blockhash`: the stage is unsigned, and only its blockhash is refreshed before signing. */
  readonly refresh: 'never' | 'blockhash';
  /** Slots to wait after all dependencies have landed (`LUT_CLOSE`: 513). */
  readonly waitSlots: number;
}

/** The request of a plan as sent, with contract field names. */
export interface PlanRequest {
  /** Name in the endpoint table. */
  readonly endpoint: string;
  readonly fields: Readonly<Record<string, unknown>>;
  /** Hex SHA-256 of the canonical JSON of `fields`. */
  readonly digest: string;
}

/** A stored plan. */
export interface Plan {
  readonly planId: string;
  /** Incremented by each rebuild, which keeps planId and intentKey. */
  readonly revision: number;
  readonly operation: PlanOperation;
  readonly mode: Mode;
  /** Genesis hash of the plan's chain. */
  readonly network: string;
  /** Our wallet in the plan (payer, taker, claimer). */
  readonly wallet: Address;
  /** Requester, if the server has several principals; absent over stdio. */
  readonly principal?: string;
  /** Hex SHA-256 of network, wallet, principal, operation and the canonical request without quote ids. */
  readonly intentKey: string;
  readonly request: PlanRequest;
  /** The service's answer without transaction strings. */
  readonly answer: Readonly<Record<string, unknown>>;
  readonly stages: readonly Stage[];
  readonly readiness?: { readonly status: string };
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  /** Expiry of the answer, in milliseconds since the epoch (a quote: after sixty seconds). */
  readonly expiresAt?: number;
}

/** A serialized stage: its transaction is a string. */
export type StageJson = Omit<Stage, 'transaction'> & { readonly transaction: string };

/** A serialized plan. */
export type PlanJson = Omit<Plan, 'stages'> & { readonly stages: readonly StageJson[] };

/** A plan of a single operation, as the policy checks it. */
export type JudgedPlan = Plan & { readonly operation: Operation };

export type PlanStatus =
  | 'ready'
  | 'waiting_setup'
  | 'approval_required'
  | 'denied'
  | 'running'
  | 'complete'
  /** Every stage landed, but our RPC does not show a new account, or a claim paid less than the claimable amount. */
  | 'landed_unverified'
  | 'failed'
  | 'unknown';

export const STAGE_STATUSES = [
  'waiting',
  'ready',
  'signed',
  'sent',
  'confirmed',
  'finalized',
  'failed',
  'expired',
  'unknown',
  'skipped',
] as const;
export type StageStatus = (typeof STAGE_STATUSES)[number];
