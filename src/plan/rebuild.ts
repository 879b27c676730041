/**
 * A plan asked for again. What already landed stays as it was and is never signed a second time; what is new
 * joins it under an id of its own.
 */

import { equal, readTransaction } from '../transaction/read.ts';
import { messageWithoutBlockhash } from '../transaction/signatures.ts';
import { decodeWire } from '../transaction/wire.ts';
import type { Plan, Stage } from './types.ts';

/** The plan being rebuilt, and which of its stages have landed. */
export interface PreviousPlan {
  readonly plan: Plan;
  readonly landed: ReadonlySet<string>;
}

/** Whether two stages carry the same message apart from the blockhash. Unreadable bytes equal nothing. */
export function sameButBlockhash(a: Stage, b: Stage): boolean {
  try {
    return equal(zeroed(a), zeroed(b));
  } catch {
    return false;
  }
}

const zeroed = (stage: Stage): Uint8Array =>
  messageWithoutBlockhash(readTransaction(decodeWire(stage.transaction, 'base64')));

/**
 * The stages of the next revision: every stage that landed, then what the new answer adds. A rebuilt stage that
 * only differs in its blockhash from one that landed is the same stage (a lagging service asks for it again, F21);
 * one that reuses the id of a landed stage for something else gets a new id.
 */
export function mergeRebuilt(previous: PreviousPlan, rebuilt: readonly Stage[]): Stage[] {
  const kept = previous.plan.stages.filter((stage) => previous.landed.has(stage.id));
  const revision = previous.plan.revision + 1;
  const names = new Map<string, string>();
  const added: Stage[] = [];
  for (const stage of rebuilt) {
    const same = kept.find((landed) => landed.kind === stage.kind && sameButBlockhash(landed, stage));
    if (same === undefined) added.push(stage);
    const taken = kept.some((landed) => landed.id === stage.id);
    names.set(stage.id, same?.id ?? (taken ? `${stage.id}#r${revision}` : stage.id));
  }
  const renamed = (id: string) => names.get(id) ?? id;
  return [
    ...kept,
    ...added.map((stage) => ({
      ...stage,
      id: renamed(stage.id),
      dependsOn: stage.dependsOn.map(renamed),
    })),
  ];
}
