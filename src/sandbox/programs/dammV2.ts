/** Instructions of Meteora's DAMM v2 and the addresses they use. Token A of a pool is the first mint it was made with. */
import type { EncodedInstruction } from '../../programs/instructions.ts';
import { SYSTEM_PROGRAM, TOKEN_2022_PROGRAM } from '../../transaction/programs.ts';
import type { Address } from '../../transaction/types.ts';
import { DAMM_V2_POOL_AUTHORITY, DAMM_V2_PROGRAM, derivedAddress, largerFirst } from './addresses.ts';
import type { SwapPlace } from './dbc.ts';
import { Bytes, eventInstruction, type Named } from './writing.ts';

/** The two sides of a pool. */
export interface PoolTokens {
  readonly mintA: Address;
  readonly programA: Address;
  readonly mintB: Address;
  readonly programB: Address;
}

/** What a customizable pool is made with. Prices are square roots times 2⁶⁴, liquidity has 64 bits behind the point. */
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

/** The customizable pool of two mints; there is one. */
export const poolAddress = (a: Address, b: Address): Address =>
  derivedAddress(DAMM_V2_PROGRAM, ['cpool'], ...largerFirst(a, b));
export const poolVault = (mint: Address, pool: Address): Address =>
  derivedAddress(DAMM_V2_PROGRAM, ['token_vault'], mint, pool);
export const positionAddress = (nftMint: Address): Address =>
  derivedAddress(DAMM_V2_PROGRAM, ['position'], nftMint);
export const positionNftAccount = (nftMint: Address): Address =>
  derivedAddress(DAMM_V2_PROGRAM, ['position_nft_account'], nftMint);

const poolOf = ({ mintA, mintB }: PoolTokens): Address => poolAddress(mintA, mintB);
const sides = (pool: Address, { mintA, mintB, programA, programB }: PoolTokens) => ({
  vaults: [
    [poolVault(mintA, pool), 'w'],
    [poolVault(mintB, pool), 'w'],
  ] as const satisfies Named[],
  mints: [
    [mintA, 'r'],
    [mintB, 'r'],
  ] as const satisfies Named[],
  programs: [
    [programA, 'r'],
    [programB, 'r'],
  ] as const satisfies Named[],
});

/** Makes a pool with its first position; `tokenA` and `tokenB` pay for the liquidity. */
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
  const pool = poolOf(tokens);
  const { vaults, mints, programs } = sides(pool, tokens);
  const { baseFee: fee } = parameters;
  const data = new Bytes('14a1f118bdddb402')
    .u64(fee.cliff)
    .u16(fee.periods)
    .u64(fee.frequency, fee.reduction)
    .u8(fee.mode)
    .u16(parameters.compoundingBps)
    .u8(0)
    .bool(false) // no fee that follows volatility
    .u128(parameters.minPrice, parameters.maxPrice)
    .bool(false) // no alpha vault
    .u128(parameters.liquidity, parameters.price)
    .u8(parameters.activationType, parameters.collectFeeMode)
    .option(parameters.activationPoint, (bytes, point) => bytes.u64(point));
  return eventInstruction(DAMM_V2_PROGRAM, data.done(), [
    [accounts.creator, 'r'],
    [accounts.nftMint, 'ws'],
    [positionNftAccount(accounts.nftMint), 'w'],
    [accounts.payer, 'ws'],
    [DAMM_V2_POOL_AUTHORITY, 'r'],
    [pool, 'w'],
    [positionAddress(accounts.nftMint), 'w'],
    ...mints,
    ...vaults,
    [accounts.tokenA, 'w'],
    [accounts.tokenB, 'w'],
    ...programs,
    [TOKEN_2022_PROGRAM, 'r'],
    [SYSTEM_PROGRAM, 'r'],
  ]);
}

/** Makes an empty position for an owner; the NFT's mint and the payer sign. */
export const createPosition = (pool: Address, owner: Address, nftMint: Address, payer: Address) =>
  eventInstruction(DAMM_V2_PROGRAM, new Bytes('30d7c59960cbb485').done(), [
    [owner, 'r'],
    [nftMint, 'ws'],
    [positionNftAccount(nftMint), 'w'],
    [pool, 'w'],
    [positionAddress(nftMint), 'w'],
    [DAMM_V2_POOL_AUTHORITY, 'r'],
    [payer, 'ws'],
    [TOKEN_2022_PROGRAM, 'r'],
    [SYSTEM_PROGRAM, 'r'],
  ]);

/** A position and who acts on it. */
export interface PositionPlace {
  readonly nftMint: Address;
  readonly owner: Address;
  readonly tokenA: Address;
  readonly tokenB: Address;
  /** Where the NFT lies, when it was moved since the position was made. */
  readonly nftAccount?: Address;
}

const position = (nftMint: Address): Named => [positionAddress(nftMint), 'w'];
const nft = (nftMint: Address, at = positionNftAccount(nftMint)): Named => [at, 'r'];
const userTokens = ({ tokenA, tokenB }: PositionPlace): Named[] => [
  [tokenA, 'w'],
  [tokenB, 'w'],
];

/** Adds liquidity; at most these amounts may be taken for it. */
export function addLiquidity(
  tokens: PoolTokens,
  place: PositionPlace,
  liquidity: bigint,
  mostA: bigint,
  mostB: bigint,
): EncodedInstruction {
  const pool = poolOf(tokens);
  const { vaults, mints, programs } = sides(pool, tokens);
  return eventInstruction(
    DAMM_V2_PROGRAM,
    new Bytes('b59d59438fb63448').u128(liquidity).u64(mostA, mostB).done(),
    [
      [pool, 'w'],
      position(place.nftMint),
      ...userTokens(place),
      ...vaults,
      ...mints,
      nft(place.nftMint),
      [place.owner, 's'],
      ...programs,
    ],
  );
}

/** Takes unlocked liquidity out; at least these amounts must come. */
export function removeLiquidity(
  tokens: PoolTokens,
  place: PositionPlace,
  liquidity: bigint,
  leastA: bigint,
  leastB: bigint,
): EncodedInstruction {
  const pool = poolOf(tokens);
  const { vaults, mints, programs } = sides(pool, tokens);
  return eventInstruction(
    DAMM_V2_PROGRAM,
    new Bytes('5055d14818ceb16c').u128(liquidity).u64(leastA, leastB).done(),
    [
      [DAMM_V2_POOL_AUTHORITY, 'r'],
      [pool, 'w'],
      position(place.nftMint),
      ...userTokens(place),
      ...vaults,
      ...mints,
      nft(place.nftMint),
      [place.owner, 's'],
      ...programs,
    ],
  );
}

/** Locks liquidity of a position for good; its fees can still be claimed. */
export const lockPosition = (pool: Address, nftMint: Address, owner: Address, liquidity: bigint) =>
  eventInstruction(DAMM_V2_PROGRAM, new Bytes('a5b07d06e7abbad5').u128(liquidity).done(), [
    [pool, 'w'],
    position(nftMint),
    nft(nftMint),
    [owner, 's'],
  ]);

/** Pays the owner of a position everything it has earned. */
export function claimPositionFee(tokens: PoolTokens, place: PositionPlace): EncodedInstruction {
  const pool = poolOf(tokens);
  const { vaults, mints, programs } = sides(pool, tokens);
  return eventInstruction(DAMM_V2_PROGRAM, new Bytes('b4269a118521a2d3').done(), [
    [DAMM_V2_POOL_AUTHORITY, 'r'],
    [pool, 'r'],
    position(place.nftMint),
    ...userTokens(place),
    ...vaults,
    ...mints,
    nft(place.nftMint, place.nftAccount),
    [place.owner, 's'],
    ...programs,
  ]);
}

function swapAccounts(tokens: PoolTokens, { input, output, payer, referral }: SwapPlace): Named[] {
  const pool = poolOf(tokens);
  const { vaults, mints, programs } = sides(pool, tokens);
  return [
    [DAMM_V2_POOL_AUTHORITY, 'r'],
    [pool, 'w'],
    [input, 'w'],
    [output, 'w'],
    ...vaults,
    ...mints,
    [payer, 's'],
    ...programs,
    [referral, 'w'],
  ];
}

/** Sells an exact amount; at least `leastOut` must come back. */
export const poolSwap = (tokens: PoolTokens, swap: SwapPlace, amountIn: bigint, leastOut: bigint) =>
  eventInstruction(
    DAMM_V2_PROGRAM,
    new Bytes('f8c69e91e17587c8').u64(amountIn, leastOut).done(),
    swapAccounts(tokens, swap),
  );

/** The same in the newer encoding. */
export const poolSwap2 = (tokens: PoolTokens, swap: SwapPlace, amountIn: bigint, leastOut: bigint) =>
  eventInstruction(
    DAMM_V2_PROGRAM,
    new Bytes('414b3f4ceb5b5b88').u64(amountIn, leastOut).u8(0).done(),
    swapAccounts(tokens, swap),
  );
