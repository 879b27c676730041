/** Addresses of Meteora's dynamic bonding curve and its pools. */
import type { Address } from '../../transaction/types.ts';
import { byBytes, derivedAddress } from '../derived.ts';

export const DBC_PROGRAM = 'dbcij3LWUppWqq96dh6gJWwBifmcGfLSB5D4DuSMaqN';
/** Authority of every vault of the program. */
export const DBC_POOL_AUTHORITY = 'FhVo3mqL8PW5pH5U2CN4XE33DokiyZnUwuGpH2hmHLuM';

/** Returns the address of the pool of a config and two mints. */
export const dbcPoolAddress = (config: Address, baseMint: Address, quoteMint: Address): Address =>
  derivedAddress(DBC_PROGRAM, [{ text: 'pool' }, config, ...byBytes(baseMint, quoteMint)]);

/** Returns the address of a pool's vault of one of its mints. */
export const dbcVaultAddress = (mint: Address, pool: Address): Address =>
  derivedAddress(DBC_PROGRAM, [{ text: 'token_vault' }, mint, pool]);
