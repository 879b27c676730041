/** Instructions of Meteora's dynamic bonding curve and the addresses they use. */
import { dbcPoolAddress } from '../../src/programs/dbc/addresses.ts';
import type { ConfigParameters } from '../../src/programs/dbc/instructions.ts';
import { type EncodedInstruction, encodeInstruction } from '../../src/programs/instructions.ts';
import { SYSVAR_INSTRUCTIONS, TOKEN_PROGRAM } from '../../src/transaction/programs.ts';
import type { Address } from '../../src/transaction/types.ts';
import { DBC_PROGRAM } from './addresses.ts';
import { Bytes, eventInstruction } from './writing.ts';

const NO_VESTING = {
  vestingPercentage: 0,
  bpsPerPeriod: 0,
  numberOfPeriods: 0,
  cliffDurationFromMigrationTime: 0,
  frequency: 0,
};
export const NOTHING_LOCKED = {
  amountPerPeriod: 0n,
  cliffDurationFromMigrationTime: 0n,
  frequency: 0n,
  numberOfPeriod: 0n,
  cliffUnlockAmount: 0n,
};
/**
 * Parameters of a config with the plainest choices: fees in the quote, a pool of DAMM v2 after the curve, no vesting and no
 * creation fee. Fees, shares of liquidity, threshold and prices are left to the caller.
 */
export const PLAIN_CURVE = {
  collectFeeMode: 0,
  migrationOption: 1,
  activationType: 1,
  tokenType: 0,
  tokenDecimal: 6,
  lockedVesting: NOTHING_LOCKED,
  tokenSupply: null,
  tokenUpdateAuthority: 1,
  migrationFee: { feePercentage: 0, creatorFeePercentage: 0 },
  migratedPoolFee: { collectFeeMode: 0, dynamicFee: 0, poolFeeBps: 0 },
  poolCreationFee: 0n,
  partnerLiquidityVestingInfo: NO_VESTING,
  creatorLiquidityVestingInfo: NO_VESTING,
  migratedPoolBaseFeeMode: 0,
  migratedPoolMarketCapFeeSchedulerParams: {
    numberOfPeriod: 0,
    sqrtPriceStepBps: 0,
    schedulerExpirationDuration: 0,
    reductionFactor: 0n,
  },
  enableFirstSwapWithMinFee: false,
  compoundingFeeBps: 0,
  padding: new Uint8Array(2),
} as const satisfies Partial<ConfigParameters>;

/** Fees of a pool at a constant rate of 10⁹, unless the schedule is changed. */
export const flatFee = (cliffFeeNumerator: bigint): ConfigParameters['poolFees'] => ({
  baseFee: { cliffFeeNumerator, firstFactor: 0, secondFactor: 0n, thirdFactor: 0n, baseFeeMode: 0 },
  dynamicFee: null,
});

export interface CurvePool {
  readonly config: Address;
  readonly baseMint: Address;
  readonly quoteMint: Address;
  readonly quoteProgram: Address;
}

export const curvePoolAddress = ({ config, baseMint, quoteMint }: Omit<CurvePool, 'quoteProgram'>): Address =>
  dbcPoolAddress(config, baseMint, quoteMint);

export { dbcVaultAddress as curveVault } from '../../src/programs/dbc/addresses.ts';

/** Creates a config at an address whose key signs. */
export const createCurveConfig = (
  accounts: {
    readonly config: Address;
    readonly feeClaimer: Address;
    readonly leftoverReceiver: Address;
    readonly quoteMint: Address;
    readonly payer: Address;
  },
  args: ConfigParameters,
) => encodeInstruction('dbc.createConfig', { accounts, args });

/** Creates token, metadata and pool; creator, mint and payer sign. */
export const initializeCurvePool = (
  { quoteProgram, ...place }: CurvePool & { readonly creator: Address; readonly payer: Address },
  token: { readonly name: string; readonly symbol: string; readonly uri: string },
): EncodedInstruction =>
  encodeInstruction('dbc.initializeVirtualPoolWithSplToken', {
    accounts: { ...place, tokenQuoteProgram: quoteProgram },
    args: token,
  });

/** Accounts of a swap; `referral` receives a share of the fee. */
export interface SwapPlace {
  readonly input: Address;
  readonly output: Address;
  readonly payer: Address;
  readonly referral?: Address;
  /** Passes the instructions sysvar, so that a first buy in the launch transaction pays the lowest fee. */
  readonly withLaunch?: boolean;
}

const placed = ({ quoteProgram, ...place }: CurvePool) => ({
  ...place,
  tokenBaseProgram: TOKEN_PROGRAM,
  tokenQuoteProgram: quoteProgram,
});

/** Swaps an exact input for at least `minOut`. Mode `partialFill`: up to the remaining capacity of the curve. */
export const curveSwap2 = (
  place: CurvePool,
  { input, output, payer, referral, withLaunch = false }: SwapPlace,
  amountIn: bigint,
  minOut: bigint,
  swapMode: 'exactIn' | 'partialFill' = 'exactIn',
) =>
  encodeInstruction('dbc.swap2', {
    accounts: {
      ...placed(place),
      ...{ inputTokenAccount: input, outputTokenAccount: output, payer },
      ...(referral === undefined ? {} : { referralTokenAccount: referral }),
      ...(withLaunch ? { instructionsSysvar: SYSVAR_INSTRUCTIONS } : {}),
    },
    args: { amount0: amountIn, amount1: minOut, swapMode },
  });

/** Transfers the creator role of a pool, with its creator fees. */
export const transferPoolCreator = (pool: Address, config: Address, creator: Address, newCreator: Address) =>
  eventInstruction(DBC_PROGRAM, new Bytes('1407a9213a93a621').done(), [
    [pool, 'w'],
    [config, 'r'],
    [creator, 's'],
    [newCreator, 'r'],
  ]);
