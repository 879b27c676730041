/** The registry of attacks by name. */
import { ANSWER_ATTACKS } from './answerAttacks.ts';
import { DRAFT_ATTACKS } from './draftAttacks.ts';
import { REQUEST_ATTACKS } from './requestAttacks.ts';
import type { Attack } from './types.ts';

/** Every attack, by name. */
export const ATTACKS: ReadonlyMap<string, Attack> = new Map(
  Object.entries({ ...REQUEST_ATTACKS, ...DRAFT_ATTACKS, ...ANSWER_ATTACKS }),
);

export const attackNames = (): readonly string[] => [...ATTACKS.keys()];
