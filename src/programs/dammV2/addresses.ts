/** Addresses of Meteora DAMM v2, its pools and positions. */
import type { Address } from '../../transaction/types.ts';
import { byBytes, derivedAddress } from '../derived.ts';

export const DAMM_V2_PROGRAM = 'cpamdpZCGKUy5JxQXB4dcpGPiikHawvSWAd6mEn1sGG';
/** Authority of every vault of the program. */
export const DAMM_V2_POOL_AUTHORITY = 'HLnpSz9h2S4hiLQ43rnSD9XkcUThA7B8hQMKmDaiTLcC';

/** Returns the address of the pool of two mints without a config, one per pair. */
export const customizablePoolAddress = (one: Address, other: Address): Address =>
  derivedAddress(DAMM_V2_PROGRAM, [{ text: 'cpool' }, ...byBytes(one, other)]);

/** Returns the address of the pool of a config and two mints. */
export const dammV2PoolAddress = (config: Address, one: Address, other: Address): Address =>
  derivedAddress(DAMM_V2_PROGRAM, [{ text: 'pool' }, config, ...byBytes(one, other)]);

/** Configs of the pools that completed DBC curves migrate to, one per fee. Only DBC can create pools with them. */
const MIGRATION_CONFIGS: readonly Address[] = [
  '7F6dnUcRuyM2TwR8myT1dYypFXpPSxqwKNSFNkxyNESd',
  '2nHK1kju6XjphBLbNxpM5XRGFj7p9U8vvNzyZiha1z6k',
  'Hv8Lmzmnju6m7kcokVKvwqz7QPmdX9XfKjJsXz8RXcjp',
  '2c4cYd4reUYVRAB9kUUkrq55VPyy2FNQ3FDL4o12JXmq',
  'AkmQWebAwFvWk55wBoCr5D62C6VVDTzi84NJuD9H7cFD',
  'DbCRBj8McvPYHJG1ukj8RE15h2dCNUdTAESG49XpQ44u',
  'A8gMrEPJkacWkcb3DGwtJwTe16HktSEfvwtuDh2MCtck',
];

/** Returns the pool addresses that follow from two mints: the pool without a config, and those of migrated curves. */
export const knownPoolAddresses = (one: Address, other: Address): readonly Address[] => [
  customizablePoolAddress(one, other),
  ...MIGRATION_CONFIGS.map((config) => dammV2PoolAddress(config, one, other)),
];

/** Returns the address of a pool's vault of one of its mints. */
export const dammV2VaultAddress = (mint: Address, pool: Address): Address =>
  derivedAddress(DAMM_V2_PROGRAM, [{ text: 'token_vault' }, mint, pool]);

/** Returns the address of an NFT's position. */
export const positionAddress = (nftMint: Address): Address =>
  derivedAddress(DAMM_V2_PROGRAM, [{ text: 'position' }, nftMint]);

/** Returns the address of the token account that holds a new position's NFT. */
export const positionNftAccountAddress = (nftMint: Address): Address =>
  derivedAddress(DAMM_V2_PROGRAM, [{ text: 'position_nft_account' }, nftMint]);

/** Returns the address of a mint's token badge, which permits its extensions. The account may not exist. */
export const tokenBadgeAddress = (mint: Address): Address =>
  derivedAddress(DAMM_V2_PROGRAM, [{ text: 'token_badge' }, mint]);
