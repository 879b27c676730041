/** Pools of DAMM v2: the terms the service opens them with, and reads of pools and positions. */
import { readAs } from '../../../src/programs/account.ts';
import * as accounts from '../../../src/programs/dammV2/accounts.ts';
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '../../../src/transaction/programs.ts';
import type { Address } from '../../../src/transaction/types.ts';
import {
  MAX_SQRT_PRICE,
  type PoolParameters,
  type PoolTokens,
  poolAddress,
  positionAddress,
  positionNftAccount,
} from '../../programs/dammV2.ts';
import { squareRoot } from '../build/curveTerms.ts';
import { ata, type TokenAsset } from '../build/tokens.ts';
import type { ServiceContext } from '../context.ts';
import type { Venue } from '../state.ts';

/** A fee of one basis point, of 1,000,000,000. */
const BASIS_POINT = 100_000n;
/** Value of a new pool's supply before its first trade, in dollars. */
const FIRST_VALUE_USD = 4_500;

/** Returns that value in base units of a quote. */
export function firstValueIn({ quotes }: ServiceContext, quote: TokenAsset): bigint {
  const usd = quotes.get(quote.mint)?.usd ?? 1;
  return BigInt(Math.round(FIRST_VALUE_USD / usd)) * 10n ** BigInt(quote.decimals);
}

/** Returns a launched token and its quote in the service's order. */
export const tokensOf = (
  baseMint: Address,
  quote: Pick<TokenAsset, 'mint' | 'tokenProgram'>,
): PoolTokens => ({
  mintA: baseMint,
  programA: TOKEN_PROGRAM,
  mintB: quote.mint,
  programB: quote.tokenProgram,
});

export const positionToken = (nftMint: Address) => ({
  mint: nftMint,
  tokenProgram: TOKEN_2022_PROGRAM,
  decimals: 0,
});

/** Pool parameters other than liquidity and prices: fees in the quote token, trading from the first second. */
export const poolTerms = (feeBps: number) =>
  ({
    baseFee: {
      cliff: BigInt(feeBps) * BASIS_POINT,
      periods: 0,
      frequency: 0n,
      reduction: 0n,
      mode: 0,
    },
    compoundingBps: 0,
    maxPrice: MAX_SQRT_PRICE,
    activationType: 1,
    collectFeeMode: 1,
  }) as const satisfies Partial<PoolParameters>;

/** Parameters of a pool that holds the token alone, starting at its lowest price. */
export function singleSided(
  service: ServiceContext,
  quote: TokenAsset,
  supply: bigint,
  feeBps: number,
): PoolParameters {
  const price = squareRoot((firstValueIn(service, quote) << 128n) / supply);
  // The amounts of two halves are each rounded up.
  const liquidity = ((supply - 2n) * price * MAX_SQRT_PRICE) / (MAX_SQRT_PRICE - price);
  return { ...poolTerms(feeBps), minPrice: price, price, liquidity };
}

/** Returns the venue record of a pool. */
export function venueOfPool(
  baseMint: Address,
  quote: TokenAsset,
  what: Pick<Venue, 'kind' | 'configKey' | 'feeClaimer' | 'partner'>,
): Venue {
  return {
    ...what,
    baseMint,
    baseTokenProgram: TOKEN_PROGRAM,
    pool: poolAddress(baseMint, quote.mint),
    quoteMint: quote.mint,
    quoteTokenProgram: quote.tokenProgram,
  };
}

const little = (bytes: Uint8Array): bigint =>
  bytes.reduceRight((value, byte) => (value << 8n) | BigInt(byte), 0n);

/** Reads a pool with its fee in parts of 10⁹; `undefined` before it is on chain. */
export function poolAccount(service: ServiceContext, { mintA, mintB }: PoolTokens) {
  const account = service.onchain.account(poolAddress(mintA, mintB));
  const fields = account && readAs(accounts.pool, account);
  if (fields === null || typeof fields === 'string') return undefined;
  return { ...fields, fee: little(fields.poolFees.baseFee.baseFeeInfo.data.subarray(0, 8)) };
}

/** Returns the token account in which an owner holds a position's NFT; `undefined` if the owner does not hold it. */
export function heldBy(service: ServiceContext, nftMint: Address, owner: Address): Address | undefined {
  return [positionNftAccount(nftMint), ata(owner, positionToken(nftMint))].find((address) => {
    const account = service.onchain.tokenAccount(address);
    return account?.owner === owner && account.mint === nftMint && account.amount === 1n;
  });
}

/** Returns the uncollected quote units of a position. */
export function earnedBy(service: ServiceContext, tokens: PoolTokens, nftMint: Address): bigint {
  const pool = poolAccount(service, tokens);
  const account = service.onchain.account(positionAddress(nftMint));
  const position = account && readAs(accounts.position, account);
  if (pool === undefined || position === null || typeof position === 'string') return 0n;
  const { unlockedLiquidity, vestedLiquidity, permanentLockedLiquidity, feeBPending } = position;
  const liquidity = unlockedLiquidity + vestedLiquidity + permanentLockedLiquidity;
  const grown = little(pool.feeBPerLiquidity) - little(position.feeBPerTokenCheckpoint);
  return feeBPending + ((liquidity * grown) >> 128n);
}
