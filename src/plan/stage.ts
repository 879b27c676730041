/**
 * Builds stages with defaults. Keeps the service's transaction unchanged.
 */
import type { TransactionFormat } from '../transaction/types.ts';
import { decodeWire, type WireEncoding } from '../transaction/wire.ts';
import { DecodedStage } from './decodedStage.ts';
import { PlanError, text } from './readAnswer.ts';
import type { Plan, PlanJson, Stage, StageJson, StageKind } from './types.ts';

/** Input of a stage; optional members have defaults. */
export interface StageParts {
  readonly id: string;
  readonly kind: StageKind;
  /** Transaction text of the service. */
  readonly transaction: unknown;
  readonly encoding: WireEncoding;
  /** Absent: the answer declares no format, and any format is accepted here. */
  readonly format?: TransactionFormat;
  readonly dependsOn?: readonly string[];
  readonly declared?: Stage['declared'];
  readonly optional?: boolean;
  readonly refresh?: Stage['refresh'];
  readonly waitSlots?: number;
}

/**
 * Builds a stage. Base64 text is kept unchanged, so that the policy can refuse non-canonical text; other encodings are
 * converted. Throws `PlanError` for invalid text.
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
  if (decoded === undefined) throw new PlanError('A transaction of the answer cannot be decoded.');
  return decoded.format;
}

/** Parses a serialized stage. */
export const stageOfJson = (stage: StageJson): Stage => ({
  ...stage,
  transaction: new DecodedStage(stage.transaction),
});

/** Parses a serialized plan. */
export const planOfJson = (plan: PlanJson): Plan => ({ ...plan, stages: plan.stages.map(stageOfJson) });
