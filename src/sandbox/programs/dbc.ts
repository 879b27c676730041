/** Instructions of Meteora's dynamic bonding curve and the addresses they use. */
import type { EncodedInstruction } from '../../programs/instructions.ts';
import { SYSTEM_PROGRAM, SYSVAR_INSTRUCTIONS, TOKEN_PROGRAM } from '../../transaction/programs.ts';
import type { Address } from '../../transaction/types.ts';
import {
  DBC_POOL_AUTHORITY,
  DBC_PROGRAM,
  derivedAddress,
  largerFirst,
  METADATA_PROGRAM,
} from './addresses.ts';
import { metadataAddress } from './tokenMetadata.ts';
import { Bytes, eventInstruction, type Named } from './writing.ts';

/** What a curve config fixes for every pool made with it. Prices are square roots times 2⁶⁴, fees of 10⁹. */
export interface CurveConfig {
  readonly baseFee: {
    /** Fee at the start, of 1,000,000,000. */
    readonly cliff: bigint;
    /** Scheduler: how many times the fee falls, after how many seconds (or slots) each, and by how much. */
    readonly periods: number;
    readonly frequency: bigint;
    readonly reduction: bigint;
    /** 0 linear, 1 exponential. */
    readonly mode: number;
  };
  /** 0 quote token only, 1 whatever comes out. */
  readonly collectFeeMode: number;
  readonly migrationOption: number;
  /** 0 by slots, 1 by seconds. */
  readonly activationType: number;
  readonly tokenDecimals: number;
  /** How liquidity is divided after migration; the four add up to 100. */
  readonly liquidity: {
    readonly partner: number;
    readonly partnerLocked: number;
    readonly creator: number;
    readonly creatorLocked: number;
  };
  /** Quote tokens the curve takes in before it is complete. */
  readonly threshold: bigint;
  readonly startPrice: bigint;
  readonly vesting?: {
    readonly amountPerPeriod: bigint;
    readonly cliffDuration: bigint;
    readonly frequency: bigint;
    readonly periods: bigint;
    readonly cliffAmount: bigint;
  };
  readonly migrationFeeOption: number;
  readonly supply?: { readonly before: bigint; readonly after: bigint };
  readonly creatorFeePercent: number;
  /** 0 the creator may change metadata, 1 no key may. */
  readonly updateAuthority: number;
  readonly migrationFee: { readonly percent: number; readonly creatorPercent: number };
  readonly migratedPool: {
    readonly collectFeeMode: number;
    readonly dynamicFee: number;
    readonly feeBps: number;
    readonly baseFeeMode: number;
    readonly compoundingBps: number;
  };
  /** Of a fee after migration that falls with the price. */
  readonly scheduler?: {
    readonly periods: number;
    readonly stepBps: number;
    /** Seconds. */
    readonly expiration: number;
    readonly reduction: bigint;
  };
  readonly poolCreationFee: bigint;
  readonly firstSwapWithMinFee: boolean;
  /** Up to 20 points: the liquidity below each price. */
  readonly curve: readonly { readonly price: bigint; readonly liquidity: bigint }[];
}

export interface CurvePool {
  readonly config: Address;
  readonly baseMint: Address;
  readonly quoteMint: Address;
  readonly quoteProgram: Address;
}

export const curvePoolAddress = ({ config, baseMint, quoteMint }: Omit<CurvePool, 'quoteProgram'>): Address =>
  derivedAddress(DBC_PROGRAM, ['pool'], config, ...largerFirst(baseMint, quoteMint));

export const curveVault = (mint: Address, pool: Address): Address =>
  derivedAddress(DBC_PROGRAM, ['token_vault'], mint, pool);

/** Makes a curve config at an address whose key signs. */
export function createCurveConfig(
  accounts: {
    readonly config: Address;
    readonly feeClaimer: Address;
    readonly leftoverReceiver: Address;
    readonly quoteMint: Address;
    readonly payer: Address;
  },
  config: CurveConfig,
): EncodedInstruction {
  const { baseFee: fee, liquidity, vesting, migratedPool, scheduler } = config;
  const data = new Bytes('c9cff3724b6f2fbd')
    .u64(fee.cliff)
    .u16(fee.periods)
    .u64(fee.frequency, fee.reduction)
    .u8(fee.mode)
    .bool(false) // no fee that follows volatility
    .u8(config.collectFeeMode, config.migrationOption, config.activationType, 0, config.tokenDecimals)
    .u8(liquidity.partner, liquidity.partnerLocked, liquidity.creator, liquidity.creatorLocked)
    .u64(config.threshold)
    .u128(config.startPrice)
    .u64(vesting?.amountPerPeriod ?? 0n, vesting?.cliffDuration ?? 0n, vesting?.frequency ?? 0n)
    .u64(vesting?.periods ?? 0n, vesting?.cliffAmount ?? 0n)
    .u8(config.migrationFeeOption)
    .option(config.supply, (bytes, { before, after }) => bytes.u64(before, after))
    .u8(config.creatorFeePercent, config.updateAuthority)
    .u8(config.migrationFee.percent, config.migrationFee.creatorPercent)
    .u8(migratedPool.collectFeeMode, migratedPool.dynamicFee)
    .u16(migratedPool.feeBps)
    .u64(config.poolCreationFee)
    .raw(new Uint8Array(26)) // no liquidity vests
    .u8(migratedPool.baseFeeMode)
    .u16(scheduler?.periods ?? 0, scheduler?.stepBps ?? 0)
    .u32(scheduler?.expiration ?? 0)
    .u64(scheduler?.reduction ?? 0n)
    .bool(config.firstSwapWithMinFee)
    .u16(migratedPool.compoundingBps)
    .raw(new Uint8Array(2))
    .u32(config.curve.length);
  for (const { price, liquidity: below } of config.curve) data.u128(price, below);
  return eventInstruction(DBC_PROGRAM, data.done(), [
    [accounts.config, 'ws'],
    [accounts.feeClaimer, 'r'],
    [accounts.leftoverReceiver, 'r'],
    [accounts.quoteMint, 'r'],
    [accounts.payer, 'ws'],
    [SYSTEM_PROGRAM, 'r'],
  ]);
}

/** Makes the token, its metadata and its pool; creator, mint and payer sign. */
export function initializeCurvePool(
  place: CurvePool & { readonly creator: Address; readonly payer: Address },
  token: { readonly name: string; readonly symbol: string; readonly uri: string },
): EncodedInstruction {
  const pool = curvePoolAddress(place);
  const data = new Bytes('8c55d7b06636684f').text(token.name).text(token.symbol).text(token.uri);
  return eventInstruction(DBC_PROGRAM, data.done(), [
    [place.config, 'r'],
    [DBC_POOL_AUTHORITY, 'r'],
    [place.creator, 's'],
    [place.baseMint, 'ws'],
    [place.quoteMint, 'r'],
    [pool, 'w'],
    [curveVault(place.baseMint, pool), 'w'],
    [curveVault(place.quoteMint, pool), 'w'],
    [metadataAddress(place.baseMint), 'w'],
    [METADATA_PROGRAM, 'r'],
    [place.payer, 'ws'],
    [place.quoteProgram, 'r'],
    [TOKEN_PROGRAM, 'r'],
    [SYSTEM_PROGRAM, 'r'],
  ]);
}

/** Where a swap takes tokens from and puts them; `referral` gets a part of the fee. */
export interface SwapPlace {
  readonly input: Address;
  readonly output: Address;
  readonly payer: Address;
  readonly referral?: Address;
  /** Shows the curve the transaction's instructions, so that a first buy beside the launch pays the lowest fee. */
  readonly withLaunch?: boolean;
}

const instructions = ({ withLaunch = false }: SwapPlace): Named[] =>
  withLaunch ? [[SYSVAR_INSTRUCTIONS, 'r']] : [];

function swapAccounts(place: CurvePool, { input, output, payer, referral }: SwapPlace): Named[] {
  const pool = curvePoolAddress(place);
  return [
    [DBC_POOL_AUTHORITY, 'r'],
    [place.config, 'r'],
    [pool, 'w'],
    [input, 'w'],
    [output, 'w'],
    [curveVault(place.baseMint, pool), 'w'],
    [curveVault(place.quoteMint, pool), 'w'],
    [place.baseMint, 'r'],
    [place.quoteMint, 'r'],
    [payer, 's'],
    [TOKEN_PROGRAM, 'r'],
    [place.quoteProgram, 'r'],
    [referral, 'w'],
  ];
}

/** Sells an exact amount; at least `leastOut` must come back. */
export const curveSwap = (place: CurvePool, swap: SwapPlace, amountIn: bigint, leastOut: bigint) =>
  eventInstruction(
    DBC_PROGRAM,
    new Bytes('f8c69e91e17587c8').u64(amountIn, leastOut).done(),
    swapAccounts(place, swap),
    instructions(swap),
  );

/** The same in the newer encoding. Mode 0: an exact input; 1: as much of it as the curve takes. */
export const curveSwap2 = (
  place: CurvePool,
  swap: SwapPlace,
  amountIn: bigint,
  leastOut: bigint,
  mode: 0 | 1 = 0,
) =>
  eventInstruction(
    DBC_PROGRAM,
    new Bytes('414b3f4ceb5b5b88').u64(amountIn, leastOut).u8(mode).done(),
    swapAccounts(place, swap),
    instructions(swap),
  );

const U64_MAX = 0xffff_ffff_ffff_ffffn;

function claimAccounts(place: CurvePool, base: Address, quote: Address, claimer: Address): Named[] {
  const pool = curvePoolAddress(place);
  return [
    [pool, 'w'],
    [base, 'w'],
    [quote, 'w'],
    [curveVault(place.baseMint, pool), 'w'],
    [curveVault(place.quoteMint, pool), 'w'],
    [place.baseMint, 'r'],
    [place.quoteMint, 'r'],
    [claimer, 's'],
    [TOKEN_PROGRAM, 'r'],
    [place.quoteProgram, 'r'],
  ];
}

/** Pays the config's fee claimer everything it has earned, into a base and a quote account. */
export const claimTradingFee = (place: CurvePool, base: Address, quote: Address, feeClaimer: Address) =>
  eventInstruction(DBC_PROGRAM, new Bytes('08ec5931987db151').u64(U64_MAX, U64_MAX).done(), [
    [DBC_POOL_AUTHORITY, 'r'],
    [place.config, 'r'],
    ...claimAccounts(place, base, quote, feeClaimer),
  ]);

/** Pays the pool's creator everything it has earned. */
export const claimCreatorTradingFee = (place: CurvePool, base: Address, quote: Address, creator: Address) =>
  eventInstruction(DBC_PROGRAM, new Bytes('52dcfabd03556b2d').u64(U64_MAX, U64_MAX).done(), [
    [DBC_POOL_AUTHORITY, 'r'],
    ...claimAccounts(place, base, quote, creator),
  ]);

/** Makes another wallet the creator of a pool, with all its creator fees. */
export const transferPoolCreator = (pool: Address, config: Address, creator: Address, newCreator: Address) =>
  eventInstruction(DBC_PROGRAM, new Bytes('1407a9213a93a621').done(), [
    [pool, 'w'],
    [config, 'r'],
    [creator, 's'],
    [newCreator, 'r'],
  ]);
