/**
 * Recorded decision inputs. They can be large (every account, every sibling stage), so they may be sealed: frozen, with
 * their digest cached.
 */
import { jsonDigest } from '../../base/canonicalJson.ts';
import { DecodedStage } from '../../plan/decodedStage.ts';
import { stageOfJson } from '../../plan/stage.ts';
import type { DecisionInputs, DecisionInputsJson } from './types.ts';

const DIGEST = Symbol('digest');

/** Deep-freezes the inputs and caches their digest in a non-enumerable property, which copies lack. Returns the same object. */
export function sealInputs<F extends DecisionInputs>(inputs: F): F {
  Object.defineProperty(inputs, DIGEST, { value: jsonDigest(inputs) });
  freeze(inputs);
  return inputs;
}

function freeze(value: unknown): void {
  // Primitives count as frozen.
  if (Object.isFrozen(value)) return;
  for (const member of Object.values(Object.freeze(Object(value)))) freeze(member);
}

/** Returns the lower-case hex SHA-256 of the inputs' canonical JSON. */
export function inputsDigest(inputs: DecisionInputs & { readonly [DIGEST]?: string }): string {
  return inputs[DIGEST] ?? jsonDigest(inputs);
}

/** Parses recorded inputs. */
export function inputsOfJson({
  earlierSetups,
  earlierStages,
  ...inputs
}: DecisionInputsJson): DecisionInputs {
  const decoded = (text: string) => new DecodedStage(text);
  return {
    ...inputs,
    stage: stageOfJson(inputs.stage),
    siblings: inputs.siblings.map((each) => ({ ...each, stage: stageOfJson(each.stage) })),
    ...(earlierSetups === undefined ? {} : { earlierSetups: earlierSetups.map(decoded) }),
    ...(earlierStages === undefined ? {} : { earlierStages: earlierStages.map(decoded) }),
  };
}
