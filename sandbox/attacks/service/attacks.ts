/** The registry of attacks by name. Rows: docs/safety.md. */
import { authorityAttacks } from './rows/authority.ts';
import { bytesAttacks } from './rows/bytes.ts';
import { configAttacks } from './rows/configs.ts';
import { contentAttacks } from './rows/content.ts';
import { feeAttacks } from './rows/fees.ts';
import { launchAttacks } from './rows/launches.ts';
import { preparedAttacks } from './rows/prepared.ts';
import { programAttacks } from './rows/programs.ts';
import { timeAttacks } from './rows/time.ts';
import { tokenAttacks } from './rows/tokens.ts';
import { tradeAttacks } from './rows/trade.ts';
import { unsupportedAttacks } from './rows/unsupported.ts';
import { valueAttacks } from './rows/value.ts';
import { venueAttacks } from './rows/venues.ts';
import type { Attack } from './types.ts';

/** Every attack, by name. */
export const ATTACKS: ReadonlyMap<string, Attack> = new Map(
  Object.entries({
    ...authorityAttacks,
    ...programAttacks,
    ...valueAttacks,
    ...preparedAttacks,
    ...feeAttacks,
    ...tradeAttacks,
    ...tokenAttacks,
    ...timeAttacks,
    ...bytesAttacks,
    ...configAttacks,
    ...contentAttacks,
    ...launchAttacks,
    ...venueAttacks,
    ...unsupportedAttacks,
  }),
);
