/** The registry of attacks by name. */
import type { Attack } from './types.ts';

/** Every attack, by name. */
export const ATTACKS: ReadonlyMap<string, Attack> = new Map();

export const attackNames = (): readonly string[] => [...ATTACKS.keys()];
