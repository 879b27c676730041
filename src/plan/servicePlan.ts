/**
 * The service's transaction plan (C-PLAN), returned by most endpoints. It must match the contract's schema and the request.
 */
import type { z } from 'zod';
import { planSchema, SETUP_REQUIRED, type WirePlan, type WireStage } from '../contract/plan.ts';
import { PlanError, stageId } from './readAnswer.ts';
import { makeStage } from './stage.ts';
import type { Operation, Stage, StageKind } from './types.ts';

/** Expected values of the plan's `operation` object (B69). Absent members were not part of the request. */
export interface ExpectedOperation {
  readonly kind: Operation;
  readonly baseMint?: string;
  readonly flow?: string;
  readonly wallet?: string;
}

/** A parsed service plan. */
export interface ServicePlan {
  readonly stages: readonly Stage[];
  readonly readiness?: { readonly status: string };
}

/** Allowed stage kinds by operation. */
const KINDS_OF: Partial<Record<Operation, readonly StageKind[]>> = {
  config: ['config', 'lookup_table_setup'],
  manager_update: ['manager_update', 'lookup_table_setup'],
  launch: ['launch', 'lookup_table_setup'],
  holding_claim: ['claim', 'lookup_table_setup'],
  position_claim: ['claim', 'lookup_table_setup'],
};

/** Maximum number of stages in a plan. A hundred claimers need far fewer. */
const MAX_STAGES = 64;

/** Parses a service plan, with stages in the given order, which the caller checks. Throws `PlanError`. */
export function readServicePlan(value: unknown, expected: ExpectedOperation): ServicePlan {
  const plan = parsed(planSchema, value);
  checkOperation(plan.operation, expected);
  if (plan.transactions.length > MAX_STAGES) throw new PlanError('The plan has too many stages.');
  const allowed = KINDS_OF[expected.kind] ?? [];
  const stages = plan.transactions.map((stage) => readStage(stage, allowed));
  const { status } = plan.readiness;
  if (stages.length === 0 && status !== SETUP_REQUIRED) {
    throw new PlanError('The plan has no stages although it does not wait for a setup.', 'upstream');
  }
  // A status may be any word (F19). It is only recorded, and shown if it is plain text.
  return { stages, readiness: { status: /^[a-z_]{1,40}$/.test(status) ? status : 'unknown' } };
}

/** Parses a value by a contract schema. Throws `PlanError`, naming the invalid part. */
export function parsed<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  // Paths consist of schema keys and indexes, so they contain no untrusted text.
  const path = result.error.issues[0]?.path.map(String).join('.') ?? '';
  throw new PlanError(
    `The plan violates the contract${path === '' ? '' : ` at "${path}"`}: an unknown or missing value.`,
  );
}

function checkOperation(operation: WirePlan['operation'], expected: ExpectedOperation): void {
  if (operation.kind !== expected.kind)
    throw new PlanError('The plan is for another operation than requested.');
  const stated = new Map<string, unknown>(Object.entries(operation));
  for (const name of ['baseMint', 'flow', 'wallet'] as const) {
    const value = expected[name];
    if (value !== undefined && stated.get(name) !== value) {
      throw new PlanError(`The plan names another ${name} than requested.`);
    }
  }
}

function readStage(stage: WireStage, allowed: readonly StageKind[]): Stage {
  if (!allowed.includes(stage.kind)) {
    throw new PlanError('A stage does not belong to the requested operation.');
  }
  const { messageSha256, requiredSigners, lifetime } = stage;
  return makeStage({
    id: stageId(stage.id),
    kind: stage.kind,
    transaction: stage.transaction,
    encoding: stage.encoding,
    format: stage.format,
    dependsOn: stage.dependsOn.map(stageId),
    declared: {
      messageSha256,
      requiredSigners,
      blockhash: lifetime.blockhash,
      lastValidBlockHeight: lifetime.lastValidBlockHeight,
    },
  });
}
