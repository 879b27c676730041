/**
 * Makes stages: fills what every stage has and keeps the service's bytes exactly as they came.
 */
import { readTransaction } from '../transaction/read.ts';
import type { TransactionFormat } from '../transaction/types.ts';
import { decodeWire, encodeWire, type WireEncoding } from '../transaction/wire.ts';
import { PlanError } from './errors.ts';
import { text } from './readAnswer.ts';
import type { Stage, StageKind } from './types.ts';

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
 * One stage. The bytes are kept as base64 whatever encoding they came in; base64 is kept letter by letter, so
 * that the policy still sees a text that is not canonical. Throws `PlanError` for text that cannot be kept.
 */
export function makeStage(parts: StageParts): Stage {
  const given = text(parts.transaction, 'transaction of a stage');
  const transaction = parts.encoding === 'base64' ? given : toBase64(given, parts.encoding);
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

function toBase64(given: string, encoding: WireEncoding): string {
  try {
    return encodeWire(decodeWire(given, encoding), 'base64');
  } catch {
    throw new PlanError(`A transaction of the answer is not canonical ${encoding}.`);
  }
}

function formatOf(transaction: string): TransactionFormat {
  try {
    return readTransaction(decodeWire(transaction, 'base64')).format;
  } catch {
    throw new PlanError('A transaction of the answer cannot be read.');
  }
}
