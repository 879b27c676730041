/**
 * Makes stages: fills what every stage has and keeps the service's bytes exactly as they came.
 */
import type { TransactionFormat } from '../transaction/types.ts';
import { decodeWire, type WireEncoding } from '../transaction/wire.ts';
import { DecodedStage } from './decodedStage.ts';
import { PlanError } from './errors.ts';
import { text } from './readAnswer.ts';
import type { Plan, PlanJson, Stage, StageJson, StageKind } from './types.ts';

/** What differs from stage to stage; everything else has a usual value. */
export interface StageParts {
  readonly id: string;
  readonly kind: StageKind;
  /** The service's text. */
  readonly transaction: unknown;
  readonly encoding: WireEncoding;
  /** Absent: the answer declares none and the operation allows whatever format the bytes are in. */
  readonly format?: TransactionFormat;
  readonly dependsOn?: readonly string[];
  readonly declared?: Stage['declared'];
  readonly optional?: boolean;
  readonly refresh?: Stage['refresh'];
  readonly waitSlots?: number;
}

/**
 * One stage. Whatever encoding the bytes came in; base64 is kept letter by letter, so that the policy still sees
 * a text that is not canonical. Throws `PlanError` for text that cannot be kept.
 */
export function makeStage(parts: StageParts): Stage {
  const given = text(parts.transaction, 'transaction of a stage');
  const transaction = parts.encoding === 'base64' ? new DecodedStage(given) : ofText(given, parts.encoding);
  return {
    id: parts.id,
    kind: parts.kind,
    format: parts.format ?? formatOf(transaction),
    dependsOn: parts.dependsOn ?? [],
    transaction,
    declared: parts.declared ?? {},
    optional: parts.optional ?? false,
    refresh: parts.refresh ?? 'never',
    waitSlots: parts.waitSlots ?? 0,
  };
}

function ofText(given: string, encoding: WireEncoding): DecodedStage {
  try {
    return DecodedStage.ofBytes(decodeWire(given, encoding));
  } catch {
    throw new PlanError(`A transaction of the answer is not canonical ${encoding}.`);
  }
}

function formatOf({ decoded }: DecodedStage): TransactionFormat {
  if (decoded === undefined) throw new PlanError('A transaction of the answer cannot be read.');
  return decoded.format;
}

/** A stage that JSON says. */
export const stageOfJson = (stage: StageJson): Stage => ({
  ...stage,
  transaction: new DecodedStage(stage.transaction),
});

/** A plan that JSON says. */
export const planOfJson = (plan: PlanJson): Plan => ({ ...plan, stages: plan.stages.map(stageOfJson) });
