/** Instructions of Meteora's DAMM v2. Token A of a pool is the first mint it was made with. */
import {
  dammV2VaultAddress,
  customizablePoolAddress as poolAddress,
  positionAddress,
  positionNftAccountAddress as positionNftAccount,
} from '../../src/programs/dammV2/addresses.ts';
import { type EncodedInstruction, encodeInstruction } from '../../src/programs/instructions.ts';
import type { Address } from '../../src/transaction/types.ts';
import { DAMM_V2_POOL_AUTHORITY, DAMM_V2_PROGRAM } from './addresses.ts';
import type { SwapPlace } from './dbc.ts';
import { Bytes, eventInstruction } from './writing.ts';

export { dammV2VaultAddress as poolVault, poolAddress, positionAddress, positionNftAccount };

/** The two sides of a pool. */
export interface PoolTokens {
  readonly mintA: Address;
  readonly programA: Address;
  readonly mintB: Address;
  readonly programB: Address;
}

/** Parameters of a customizable pool. Prices are square roots times 2⁶⁴, liquidity has 64 fractional bits. */
export interface PoolParameters {
  readonly baseFee: {
    /** Fee at the start, of 1,000,000,000. */
    readonly cliff: bigint;
    readonly periods: number;
    readonly frequency: bigint;
    readonly reduction: bigint;
    /** 0 falls linearly with time, 1 exponentially. */
    readonly mode: number;
  };
  readonly compoundingBps: number;
  readonly minPrice: bigint;
  readonly maxPrice: bigint;
  readonly price: bigint;
  readonly liquidity: bigint;
  /** 0 by slots, 1 by seconds. */
  readonly activationType: number;
  /** 0 whatever comes out, 1 token B only. */
  readonly collectFeeMode: number;
  readonly activationPoint?: bigint;
}

/** Lowest and highest square root price of the program. */
export const MIN_SQRT_PRICE = 4_295_048_016n;
export const MAX_SQRT_PRICE = 79_226_673_521_066_979_257_578_248_091n;

/** Accounts shared by the instructions of a pool. */
const sides = ({ mintA, mintB, programA, programB }: PoolTokens) => ({
  pool: poolAddress(mintA, mintB),
  tokenAMint: mintA,
  tokenBMint: mintB,
  tokenAProgram: programA,
  tokenBProgram: programB,
});

/** Creates a pool with its first position; `tokenA` and `tokenB` pay for the liquidity. */
export function initializePool(
  tokens: PoolTokens,
  accounts: {
    /** Owns the first position; does not sign. */
    readonly creator: Address;
    /** A new key that signs. */
    readonly nftMint: Address;
    readonly payer: Address;
    readonly tokenA: Address;
    readonly tokenB: Address;
  },
  parameters: PoolParameters,
): EncodedInstruction {
  const { creator, nftMint, payer, tokenA, tokenB } = accounts;
  const { baseFee: fee } = parameters;
  const data = new Bytes()
    .u64(fee.cliff)
    .u16(fee.periods)
    .u64(fee.frequency, fee.reduction)
    .u8(fee.mode)
    .done();
  return encodeInstruction('dammV2.initializeCustomizablePool', {
    accounts: {
      ...sides(tokens),
      ...{ creator, positionNftMint: nftMint, payer, payerTokenA: tokenA, payerTokenB: tokenB },
    },
    args: {
      poolFees: {
        baseFee: { data },
        compoundingFeeBps: parameters.compoundingBps,
        padding: 0,
        dynamicFee: null,
      },
      sqrtMinPrice: parameters.minPrice,
      sqrtMaxPrice: parameters.maxPrice,
      hasAlphaVault: false,
      liquidity: parameters.liquidity,
      sqrtPrice: parameters.price,
      activationType: parameters.activationType,
      collectFeeMode: parameters.collectFeeMode,
      activationPoint: parameters.activationPoint ?? null,
    },
  });
}

/** Creates an empty position for an owner; the NFT's mint and the payer sign. */
export const createPosition = (pool: Address, owner: Address, nftMint: Address, payer: Address) =>
  encodeInstruction('dammV2.createPosition', {
    accounts: { pool, owner, positionNftMint: nftMint, payer },
  });

/** A position and its owner's accounts. */
export interface PositionPlace {
  readonly nftMint: Address;
  readonly owner: Address;
  readonly tokenA: Address;
  readonly tokenB: Address;
  /** The account of the NFT, if it was moved. */
  readonly nftAccount?: Address;
}

const placed = ({ nftMint, owner, tokenA, tokenB, nftAccount }: PositionPlace) => ({
  position: positionAddress(nftMint),
  positionNftAccount: nftAccount ?? positionNftAccount(nftMint),
  tokenAAccount: tokenA,
  tokenBAccount: tokenB,
  signer: owner,
});

/** Adds liquidity for at most these amounts. */
export const addLiquidity = (
  tokens: PoolTokens,
  place: PositionPlace,
  liquidity: bigint,
  mostA: bigint,
  mostB: bigint,
): EncodedInstruction =>
  encodeInstruction('dammV2.addLiquidity', {
    accounts: { ...sides(tokens), ...placed(place) },
    args: { liquidityDelta: liquidity, tokenAAmountThreshold: mostA, tokenBAmountThreshold: mostB },
  });

/** Removes unlocked liquidity for at least these amounts. */
export function removeLiquidity(
  tokens: PoolTokens,
  place: PositionPlace,
  liquidity: bigint,
  leastA: bigint,
  leastB: bigint,
): EncodedInstruction {
  // The accounts of the opposite, behind the authority that pays.
  const { accounts } = addLiquidity(tokens, place, liquidity, leastA, leastB);
  const data = new Bytes('5055d14818ceb16c').u128(liquidity).u64(leastA, leastB).done();
  return eventInstruction(DAMM_V2_PROGRAM, data, [
    [DAMM_V2_POOL_AUTHORITY, 'r'],
    ...accounts
      .slice(0, -2)
      .map(({ address, writable, signer }) => [address, writable ? 'w' : signer ? 's' : 'r'] as const),
  ]);
}

/** Locks liquidity of a position permanently; its fees stay claimable. */
export const lockPosition = (pool: Address, nftMint: Address, owner: Address, liquidity: bigint) =>
  encodeInstruction('dammV2.permanentLockPosition', {
    accounts: {
      ...{ pool, signer: owner },
      position: positionAddress(nftMint),
      positionNftAccount: positionNftAccount(nftMint),
    },
    args: { permanentLockLiquidity: liquidity },
  });

/** Claims the fees of a position for its owner. */
export const claimPositionFee = (tokens: PoolTokens, place: PositionPlace): EncodedInstruction =>
  encodeInstruction('dammV2.claimPositionFee', { accounts: { ...sides(tokens), ...placed(place) } });

/** Swaps an exact input for at least `minOut`. */
export const poolSwap2 = (
  tokens: PoolTokens,
  { input, output, payer, referral }: SwapPlace,
  amountIn: bigint,
  minOut: bigint,
) =>
  encodeInstruction('dammV2.swap2', {
    accounts: {
      ...sides(tokens),
      ...{ inputTokenAccount: input, outputTokenAccount: output, payer },
      ...(referral === undefined ? {} : { referralTokenAccount: referral }),
    },
    args: { amount0: amountIn, amount1: minOut, swapMode: 'exactIn' },
  });
