/**
 * Facts as they are recorded. They can be large (every account, every sibling stage), so the code that gathers them may
 * seal them: then they cannot change any more, and carry the digest that names them.
 */
import { jsonDigest } from '../../base/canonicalJson.ts';
import { DecodedStage } from '../../plan/decodedStage.ts';
import { stageOfJson } from '../../plan/stage.ts';
import type { Facts, FactsJson } from './types.ts';

const DIGEST = Symbol('digest');

/** Freezes facts, all the way down, and adds their digest, which no copy of them has. Returns the same object. */
export function sealFacts<F extends Facts>(facts: F): F {
  Object.defineProperty(facts, DIGEST, { value: jsonDigest(facts) });
  freeze(facts);
  return facts;
}

function freeze(value: unknown): void {
  // What is no object counts as frozen.
  if (Object.isFrozen(value)) return;
  for (const member of Object.values(Object.freeze(Object(value)))) freeze(member);
}

/** Lower-case hex SHA-256 of the canonical JSON of the facts. */
export function factsDigest(facts: Facts & { readonly [DIGEST]?: string }): string {
  return facts[DIGEST] ?? jsonDigest(facts);
}

/** Facts that JSON says. */
export function factsOfJson({ earlierSetups, earlierStages, ...facts }: FactsJson): Facts {
  const decoded = (text: string) => new DecodedStage(text);
  return {
    ...facts,
    stage: stageOfJson(facts.stage),
    siblings: facts.siblings.map((each) => ({ ...each, stage: stageOfJson(each.stage) })),
    ...(earlierSetups === undefined ? {} : { earlierSetups: earlierSetups.map(decoded) }),
    ...(earlierStages === undefined ? {} : { earlierStages: earlierStages.map(decoded) }),
  };
}
