/** The registry of attacks by name. Rows: docs/threat-model.md. */
import { authorityAttacks } from './authority.ts';
import { bytesAttacks } from './bytes.ts';
import { configAttacks } from './configs.ts';
import { contentAttacks } from './content.ts';
import { feeAttacks } from './fees.ts';
import { programAttacks } from './programs.ts';
import { timeAttacks } from './time.ts';
import { tokenAttacks } from './tokens.ts';
import { tradeAttacks } from './trade.ts';
import type { Attack } from './types.ts';
import { valueAttacks } from './value.ts';

/** Every attack, by name. */
export const ATTACKS: ReadonlyMap<string, Attack> = new Map(
  Object.entries({
    ...authorityAttacks,
    ...programAttacks,
    ...valueAttacks,
    ...feeAttacks,
    ...tradeAttacks,
    ...tokenAttacks,
    ...timeAttacks,
    ...bytesAttacks,
    ...configAttacks,
    ...contentAttacks,
  }),
);

export const attackNames = (): readonly string[] => [...ATTACKS.keys()];
