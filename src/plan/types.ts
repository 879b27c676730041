/**
 * What a staged plan is. One model for everything that must be signed: plan endpoints, the custody
 * bundle, a swap, a claim, a bare launch transaction. Pure data; statuses live in the ledger's journal.
 */
import type { Address, TransactionFormat } from '../transaction/types.ts';
import type { DecodedStage } from './decodedStage.ts';

/** The operation profiles of the policy. `CREATE_TOKEN` belongs to `launch`, legacy configs to `config`. */
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
/** What a plan does: an operation, or several claims together, each of which is judged as the operation it is. */
export type PlanOperation = Operation | 'claim_all';

/** What a stage does. The service names the first five; this program names the others, for bundles and bare answers. */
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

/** What the service says about a stage. A field it does not declare is absent, and never counts as passed. */
export interface DeclaredStage {
  readonly messageSha256?: string;
  readonly requiredSigners?: readonly Address[];
  readonly blockhash?: string;
  /** Decimal string, recorded only: decisions use the height from our own RPC. */
  readonly lastValidBlockHeight?: string;
}

/** One transaction of a plan, exactly as the service gave it. */
export interface Stage {
  readonly id: string;
  readonly kind: StageKind;
  /** The format the service declared, or what the operation's profile expects when it declares none. */
  readonly format: TransactionFormat;
  readonly dependsOn: readonly string[];
  /** The service's bytes. */
  readonly transaction: DecodedStage;
  readonly declared: DeclaredStage;
  /** A plan is complete without its optional stages (`LUT_CLOSE`). */
  readonly optional: boolean;
  /** `blockhash`: has no signature yet, and its blockhash (nothing else) is refreshed before signing. */
  readonly refresh: 'never' | 'blockhash';
  /** Slots that must pass after every dependency landed before this stage can land (`LUT_CLOSE`: 513). */
  readonly waitSlots: number;
}

/** The request that asked for a plan, as sent (contract field names). */
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
  /** Grows by one with each rebuild; planId and intentKey stay. */
  readonly revision: number;
  readonly operation: PlanOperation;
  readonly mode: Mode;
  /** Genesis hash of the chain the plan was made for. */
  readonly network: string;
  /** The wallet of ours the plan concerns (payer, taker, claimer). */
  readonly wallet: Address;
  /** Who asked, where a server works for several; absent for the one a server over stdin works for. */
  readonly principal?: string;
  /** Hex SHA-256 of network, wallet, principal, operation and the canonical request without quote ids. */
  readonly intentKey: string;
  readonly request: PlanRequest;
  /** The service's answer without its transaction strings. */
  readonly answer: Readonly<Record<string, unknown>>;
  readonly stages: readonly Stage[];
  readonly readiness?: { readonly status: string };
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  /** When the answer itself expires (a quote: after sixty seconds). */
  readonly expiresAt?: number;
}

/** A stage as JSON says it: its transaction is text. */
export type StageJson = Omit<Stage, 'transaction'> & { readonly transaction: string };

/** A plan as JSON says it. */
export type PlanJson = Omit<Plan, 'stages'> & { readonly stages: readonly StageJson[] };

/** A plan as it is judged: of one operation. */
export type JudgedPlan = Plan & { readonly operation: Operation };

export type PlanStatus =
  | 'ready'
  | 'waiting_setup'
  | 'approval_required'
  | 'denied'
  | 'running'
  | 'complete'
  /** Every stage landed, but an account it makes is not shown by our RPC, or a claim brought less than was claimable. */
  | 'landed_unverified'
  | 'failed'
  | 'unknown';

export type StageStatus =
  | 'waiting'
  | 'ready'
  | 'signed'
  | 'sent'
  | 'confirmed'
  | 'finalized'
  | 'failed'
  | 'expired'
  | 'unknown'
  | 'skipped';
