/** Instructions of Meteora's dynamic bonding curve and the addresses they use. */
import { dbcPoolAddress } from '../../src/programs/dbc/addresses.ts';
import type { EncodedInstruction } from '../../src/programs/instructions.ts';
import { buildInstruction } from '../../src/programs/read.ts';
import { SYSTEM_PROGRAM, SYSVAR_INSTRUCTIONS, TOKEN_PROGRAM } from '../../src/transaction/programs.ts';
import type { Address } from '../../src/transaction/types.ts';
import { DBC_PROGRAM } from './addresses.ts';
import { Bytes, eventInstruction } from './writing.ts';

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
  dbcPoolAddress(config, baseMint, quoteMint);

export { dbcVaultAddress as curveVault } from '../../src/programs/dbc/addresses.ts';

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
export const initializeCurvePool = (
  { quoteProgram, ...place }: CurvePool & { readonly creator: Address; readonly payer: Address },
  token: { readonly name: string; readonly symbol: string; readonly uri: string },
): EncodedInstruction =>
  buildInstruction('dbc.initializeVirtualPoolWithSplToken', {
    accounts: { ...place, tokenQuoteProgram: quoteProgram },
    args: token,
  });

/** Where a swap takes tokens from and puts them; `referral` gets a part of the fee. */
export interface SwapPlace {
  readonly input: Address;
  readonly output: Address;
  readonly payer: Address;
  readonly referral?: Address;
  /** Shows the curve the transaction's instructions, so that a first buy beside the launch pays the lowest fee. */
  readonly withLaunch?: boolean;
}

const placed = ({ quoteProgram, ...place }: CurvePool) => ({
  ...place,
  tokenBaseProgram: TOKEN_PROGRAM,
  tokenQuoteProgram: quoteProgram,
});

/** Sells an exact amount; at least `minOut` must come back. Mode `partialFill`: as much of it as the curve takes. */
export const curveSwap2 = (
  place: CurvePool,
  { input, output, payer, referral, withLaunch = false }: SwapPlace,
  amountIn: bigint,
  minOut: bigint,
  swapMode: 'exactIn' | 'partialFill' = 'exactIn',
) =>
  buildInstruction('dbc.swap2', {
    accounts: {
      ...placed(place),
      ...{ inputTokenAccount: input, outputTokenAccount: output, payer },
      ...(referral === undefined ? {} : { referralTokenAccount: referral }),
      ...(withLaunch ? { instructionsSysvar: SYSVAR_INSTRUCTIONS } : {}),
    },
    args: { amount0: amountIn, amount1: minOut, swapMode },
  });

/** Makes another wallet the creator of a pool, with all its creator fees. */
export const transferPoolCreator = (pool: Address, config: Address, creator: Address, newCreator: Address) =>
  eventInstruction(DBC_PROGRAM, new Bytes('1407a9213a93a621').done(), [
    [pool, 'w'],
    [config, 'r'],
    [creator, 's'],
    [newCreator, 'r'],
  ]);
