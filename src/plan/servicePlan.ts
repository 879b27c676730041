/**
 * The service's transaction plan (C-plan): the form most endpoints answer in. It must be about what was asked,
 * and every word in it that decides something must be known.
 */
import type { Address, TransactionFormat } from '../transaction/types.ts';
import { PlanError } from './errors.ts';
import { contractVersionOne, type Fields, list, object, oneOf, stageId, text } from './readAnswer.ts';
import { makeStage } from './stage.ts';
import type { DeclaredStage, Operation, Stage, StageKind } from './types.ts';

/** What the plan's `operation` object must say. Absent members were not part of the request. */
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

const FORMATS = ['v0', 'v1'] as const satisfies readonly TransactionFormat[];
const ENCODINGS = ['base64'] as const;
const KINDS = ['config', 'claim', 'manager_update', 'launch', 'lookup_table_setup'] as const;

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

/** Reads a service plan, in the order the service gave. Throws `PlanError`; dependencies are checked by the caller. */
export function readServicePlan(value: unknown, asked: Asked): ServicePlan {
  const plan = object(value, 'plan');
  contractVersionOne(plan);
  checkOperation(object(plan.operation, 'plan operation'), asked);
  const given = list(plan.transactions, 'list of plan stages');
  if (given.length > MAX_STAGES) throw new PlanError('The plan has too many stages.');
  const allowed = KINDS_OF[asked.kind] ?? [];
  const stages = given.map((item) => readStage(object(item, 'plan stage'), allowed));
  const readiness = readReadiness(plan.readiness);
  if (stages.length === 0 && readiness?.status !== 'setup_required') {
    throw new PlanError('The plan has no stages and does not say that it waits for a setup.', 'upstream');
  }
  return { stages, ...(readiness === undefined ? {} : { readiness }) };
}

function checkOperation(operation: Fields, asked: Asked): void {
  if (operation.kind !== asked.kind) throw new PlanError('The plan is for another operation than was asked.');
  for (const name of ['baseMint', 'flow', 'wallet'] as const) {
    const expected = asked[name];
    if (expected !== undefined && operation[name] !== expected) {
      throw new PlanError(`The plan names another ${name} than was asked.`);
    }
  }
}

/** Readiness is recorded; only its shape is checked, since its words are open (F19). */
function readReadiness(value: unknown): { status: string } | undefined {
  if (value == null) return undefined;
  const status = object(value, 'readiness').status;
  if (typeof status !== 'string') return undefined;
  return { status: /^[a-z_]{1,40}$/.test(status) ? status : 'unknown' };
}

function readStage(stage: Fields, allowed: readonly StageKind[]): Stage {
  const kind = oneOf(stage.kind, KINDS, 'stage kind');
  if (!allowed.includes(kind))
    throw new PlanError('A stage does not belong to the operation that was asked.');
  return makeStage({
    id: stageId(stage.id),
    kind,
    transaction: stage.transaction,
    encoding: oneOf(stage.encoding, ENCODINGS, 'stage encoding'),
    format: oneOf(stage.format, FORMATS, 'stage format'),
    dependsOn: list(stage.dependsOn, 'list of stage dependencies').map(stageId),
    declared: readDeclared(stage),
  });
}

/** What the service declares is kept as said, for the policy to compare; what it leaves out stays undeclared. */
function readDeclared(stage: Fields): DeclaredStage {
  const lifetime = stage.lifetime == null ? {} : object(stage.lifetime, 'stage lifetime');
  const signers = stage.requiredSigners == null ? undefined : list(stage.requiredSigners, 'list of signers');
  return {
    ...optional('messageSha256', stage.messageSha256),
    ...(signers === undefined ? {} : { requiredSigners: signers.map((s): Address => text(s, 'signer')) }),
    ...optional('blockhash', lifetime.blockhash),
    ...optional('lastValidBlockHeight', lifetime.lastValidBlockHeight),
  };
}

function optional<N extends keyof DeclaredStage>(name: N, value: unknown): { [K in N]?: string } {
  if (value == null) return {};
  // A number or an object where a text belongs is not undeclared: it is wrong, and no text it could equal exists.
  const said: { [K in N]?: string } = {};
  said[name] = typeof value === 'string' ? value : 'not a text';
  return said;
}
