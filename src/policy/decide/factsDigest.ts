/**
 * The digest that names the facts of a decision. Facts can be large (every account, every sibling stage), so
 * the code that gathers them may seal them: then they cannot change any more, and the digest is computed once.
 */
import { jsonDigest } from '../../base/canonicalJson.ts';
import type { Facts } from './types.ts';

const sealed = new WeakMap<Facts, string>();

/** Freezes facts, all the way down, and remembers their digest. Returns the same object. */
export function sealFacts(facts: Facts): Facts {
  freeze(facts);
  sealed.set(facts, jsonDigest(facts));
  return facts;
}

function freeze(value: unknown): void {
  // What is no object counts as frozen.
  if (Object.isFrozen(value)) return;
  for (const member of Object.values(Object.freeze(Object(value)))) freeze(member);
}

/** Lower-case hex SHA-256 of the canonical JSON of the facts. */
export function factsDigest(facts: Facts): string {
  return sealed.get(facts) ?? jsonDigest(facts);
}
