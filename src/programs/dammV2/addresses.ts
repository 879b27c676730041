/** Addresses of Meteora DAMM v2, and those of a pool and its positions. */
import type { Address } from '../../transaction/types.ts';
import { byBytes, derivedAddress } from '../derived.ts';

export const DAMM_V2_PROGRAM = 'cpamdpZCGKUy5JxQXB4dcpGPiikHawvSWAd6mEn1sGG';
/** Signs for every vault of the program. */
export const DAMM_V2_POOL_AUTHORITY = 'HLnpSz9h2S4hiLQ43rnSD9XkcUThA7B8hQMKmDaiTLcC';

/** The pool of two mints made without a config; there is one for each pair. */
export const customizablePoolAddress = (one: Address, other: Address): Address =>
  derivedAddress(DAMM_V2_PROGRAM, [{ text: 'cpool' }, ...byBytes(one, other)]);

/** The pool of a config and two mints. */
export const dammV2PoolAddress = (config: Address, one: Address, other: Address): Address =>
  derivedAddress(DAMM_V2_PROGRAM, [{ text: 'pool' }, config, ...byBytes(one, other)]);

/** Configs of the pools that full DBC curves move into, by fee: only DBC can open a pool with one. */
const MIGRATION_CONFIGS: readonly Address[] = [
  '7F6dnUcRuyM2TwR8myT1dYypFXpPSxqwKNSFNkxyNESd',
  '2nHK1kju6XjphBLbNxpM5XRGFj7p9U8vvNzyZiha1z6k',
  'Hv8Lmzmnju6m7kcokVKvwqz7QPmdX9XfKjJsXz8RXcjp',
  '2c4cYd4reUYVRAB9kUUkrq55VPyy2FNQ3FDL4o12JXmq',
  'AkmQWebAwFvWk55wBoCr5D62C6VVDTzi84NJuD9H7cFD',
  'DbCRBj8McvPYHJG1ukj8RE15h2dCNUdTAESG49XpQ44u',
  'A8gMrEPJkacWkcb3DGwtJwTe16HktSEfvwtuDh2MCtck',
];

/** Pools of two mints whose addresses follow from the mints: the one without a config, and those of full curves. */
export const knownPoolAddresses = (one: Address, other: Address): readonly Address[] => [
  customizablePoolAddress(one, other),
  ...MIGRATION_CONFIGS.map((config) => dammV2PoolAddress(config, one, other)),
];

/** A pool's vault of one of its mints. */
export const dammV2VaultAddress = (mint: Address, pool: Address): Address =>
  derivedAddress(DAMM_V2_PROGRAM, [{ text: 'token_vault' }, mint, pool]);

/** The position of an NFT. */
export const positionAddress = (nftMint: Address): Address =>
  derivedAddress(DAMM_V2_PROGRAM, [{ text: 'position' }, nftMint]);

/** The account that holds a position's NFT when the program makes it. */
export const positionNftAccountAddress = (nftMint: Address): Address =>
  derivedAddress(DAMM_V2_PROGRAM, [{ text: 'position_nft_account' }, nftMint]);

/** Says that a mint with extensions may be traded here; it need not exist. */
export const tokenBadgeAddress = (mint: Address): Address =>
  derivedAddress(DAMM_V2_PROGRAM, [{ text: 'token_badge' }, mint]);
