/**
 * Inputs as they are recorded. They can be large (every account, every sibling stage), so the code that gathers them may
 * seal them: then they cannot change any more, and carry the digest that names them.
 */
import { jsonDigest } from '../../base/canonicalJson.ts';
import { DecodedStage } from '../../plan/decodedStage.ts';
import { stageOfJson } from '../../plan/stage.ts';
import type { DecisionInputs, DecisionInputsJson } from './types.ts';

const DIGEST = Symbol('digest');

/** Freezes inputs, all the way down, and adds their digest, which no copy of them has. Returns the same object. */
export function sealInputs<F extends DecisionInputs>(inputs: F): F {
  Object.defineProperty(inputs, DIGEST, { value: jsonDigest(inputs) });
  freeze(inputs);
  return inputs;
}

function freeze(value: unknown): void {
  // What is no object counts as frozen.
  if (Object.isFrozen(value)) return;
  for (const member of Object.values(Object.freeze(Object(value)))) freeze(member);
}

/** Lower-case hex SHA-256 of the canonical JSON of the inputs. */
export function inputsDigest(inputs: DecisionInputs & { readonly [DIGEST]?: string }): string {
  return inputs[DIGEST] ?? jsonDigest(inputs);
}

/** Inputs that JSON says. */
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
