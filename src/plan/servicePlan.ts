/**
 * The service's transaction plan (C-PLAN): the form most endpoints answer in. Its shape is the contract's own
 * schema; here it must also be about what was asked.
 */
import type { z } from 'zod';
import { planSchema, SETUP_REQUIRED, type WirePlan, type WireStage } from '../contract/plan.ts';
import { PlanError } from './errors.ts';
import { stageId } from './readAnswer.ts';
import { makeStage } from './stage.ts';
import type { Operation, Stage, StageKind } from './types.ts';

/** What the plan's `operation` object must say (B69). Absent members were not part of the request. */
export interface Asked {
  readonly kind: Operation;
  readonly baseMint?: string;
  readonly flow?: string;
  readonly wallet?: string;
}

/** A service plan as read. */
export interface ServicePlan {
  readonly stages: readonly Stage[];
  readonly readiness?: { readonly status: string };
}

/** The stage kinds an operation may be made of. */
const KINDS_OF: Partial<Record<Operation, readonly StageKind[]>> = {
  config: ['config', 'lookup_table_setup'],
  manager_update: ['manager_update', 'lookup_table_setup'],
  launch: ['launch', 'lookup_table_setup'],
  holding_claim: ['claim', 'lookup_table_setup'],
  position_claim: ['claim', 'lookup_table_setup'],
};

/** Most stages a plan may have. A hundred claimers fit in far fewer. */
const MAX_STAGES = 64;

/** Reads a service plan, in the order the service gave. Throws `PlanError`; the order is checked by the caller. */
export function readServicePlan(value: unknown, asked: Asked): ServicePlan {
  const plan = parsed(planSchema, value);
  checkOperation(plan.operation, asked);
  if (plan.transactions.length > MAX_STAGES) throw new PlanError('The plan has too many stages.');
  const allowed = KINDS_OF[asked.kind] ?? [];
  const stages = plan.transactions.map((stage) => readStage(stage, allowed));
  const { status } = plan.readiness;
  if (stages.length === 0 && status !== SETUP_REQUIRED) {
    throw new PlanError('The plan has no stages and does not say that it waits for a setup.', 'upstream');
  }
  // A status may be any word (F19): recorded, never trusted, and shown only when it is plain text.
  return { stages, readiness: { status: /^[a-z_]{1,40}$/.test(status) ? status : 'unknown' } };
}

/** A value that fits a schema of the contract, or a refusal that names the part that does not. */
export function parsed<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  // Paths are made of the schema's own names and of positions, so they hold no untrusted text.
  const path = result.error.issues[0]?.path.map(String).join('.') ?? '';
  throw new PlanError(
    `The plan is not what the contract says${path === '' ? '' : `, at "${path}"`}: an unknown or missing value.`,
  );
}

function checkOperation(operation: WirePlan['operation'], asked: Asked): void {
  if (operation.kind !== asked.kind) throw new PlanError('The plan is for another operation than was asked.');
  const said = new Map<string, unknown>(Object.entries(operation));
  for (const name of ['baseMint', 'flow', 'wallet'] as const) {
    const expected = asked[name];
    if (expected !== undefined && said.get(name) !== expected) {
      throw new PlanError(`The plan names another ${name} than was asked.`);
    }
  }
}

function readStage(stage: WireStage, allowed: readonly StageKind[]): Stage {
  if (!allowed.includes(stage.kind)) {
    throw new PlanError('A stage does not belong to the operation that was asked.');
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
