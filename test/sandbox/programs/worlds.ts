/** Curve config, pool and launches for the stand-in tests. */
import type { Keypair } from '../../../sandbox/keypair.ts';
import type { PoolParameters, PoolTokens } from '../../../sandbox/programs/dammV2.ts';
import {
  initializePool,
  MAX_SQRT_PRICE,
  MIN_SQRT_PRICE,
  poolAddress,
} from '../../../sandbox/programs/dammV2.ts';
import {
  type CurvePool,
  createCurveConfig,
  curvePoolAddress,
  flatFee,
  initializeCurvePool,
  PLAIN_CURVE,
} from '../../../sandbox/programs/dbc.ts';
import { ata, createAta, wrap } from '../../../sandbox/service/build/tokens.ts';
import type { ConfigParameters } from '../../../src/programs/dbc/instructions.ts';
import { TOKEN_PROGRAM, WSOL_MINT } from '../../../src/transaction/programs.ts';
import type { Address } from '../../../src/transaction/types.ts';
import { type Scene, SOL, WSOL } from './scene.ts';

/** 2 % fee in the quote token, half of it the creator's, complete at 85 SOL. */
export const CURVE: ConfigParameters = {
  ...PLAIN_CURVE,
  poolFees: flatFee(20_000_000n),
  partnerLiquidityPercentage: 0,
  partnerPermanentLockedLiquidityPercentage: 50,
  creatorLiquidityPercentage: 0,
  creatorPermanentLockedLiquidityPercentage: 50,
  migrationQuoteThreshold: 85n * SOL,
  sqrtStartPrice: 95_000_000_000_000_000n,
  migrationFeeOption: 2,
  creatorTradingFeePercentage: 50,
  curve: [
    { sqrtPrice: 300_000_000_000_000_000n, liquidity: 101_000_000_000_000_000_000_000_000_000_000n },
    { sqrtPrice: 900_000_000_000_000_000n, liquidity: 150_000_000_000_000_000_000_000_000_000_000n },
  ],
};

/** Returns the fees of `CURVE` with changes. */
export const curveFees = (change: Partial<ConfigParameters['poolFees']['baseFee']>) => ({
  poolFees: { ...CURVE.poolFees, baseFee: { ...CURVE.poolFees.baseFee, ...change } },
});

/** 2 % fee in token B, over the whole range of prices. */
export const POOL: PoolParameters = {
  baseFee: { cliff: 20_000_000n, periods: 0, frequency: 0n, reduction: 0n, mode: 0 },
  compoundingBps: 0,
  minPrice: MIN_SQRT_PRICE,
  maxPrice: MAX_SQRT_PRICE,
  price: 100_000_000_000_000_000n,
  liquidity: 50_000_000_000_000_000_000_000_000_000_000n,
  activationType: 1,
  collectFeeMode: 1,
};

export const TOKEN_TEXTS = { name: 'Name', symbol: 'SYM', uri: 'https://example.com/token.json' };

export interface CurveWorld {
  readonly place: CurvePool;
  readonly pool: Address;
  readonly base: { readonly mint: Address; readonly tokenProgram: Address };
  readonly creator: Keypair;
  readonly claimer: Keypair;
}

/** Launches a token on the curve: made by `creator`, with partner fees for `claimer`. */
export function launchCurve(scene: Scene, curve: ConfigParameters = CURVE, feeClaimer?: Address): CurveWorld {
  const [creator, claimer] = [scene.rich('creator'), scene.rich('claimer')];
  const [config, mint] = [scene.key('config'), scene.key('curve mint')];
  const place = {
    config: config.address,
    baseMint: mint.address,
    quoteMint: WSOL_MINT,
    quoteProgram: TOKEN_PROGRAM,
  };
  scene.done(
    [creator, config],
    createCurveConfig(
      {
        config: config.address,
        feeClaimer: feeClaimer ?? claimer.address,
        leftoverReceiver: claimer.address,
        quoteMint: WSOL_MINT,
        payer: creator.address,
      },
      curve,
    ),
  );
  scene.done(
    [creator, mint],
    initializeCurvePool({ ...place, creator: creator.address, payer: creator.address }, TOKEN_TEXTS),
  );
  const base = { mint: mint.address, tokenProgram: TOKEN_PROGRAM };
  return { place, pool: curvePoolAddress(place), base, creator, claimer };
}

/** Creates a wallet with wrapped SOL and an account for a token, and its two swaps. */
export function trader(scene: Scene, name: string, base: CurveWorld['base'], wrapped = 50n * SOL) {
  const wallet = scene.rich(name, wrapped + 10n * SOL);
  scene.done([wallet], ...wrap(wallet.address, wrapped), createAta(wallet.address, wallet.address, base));
  const [quote, token] = [ata(wallet.address, WSOL), ata(wallet.address, base)];
  return {
    wallet,
    quote,
    token,
    buy: { input: quote, output: token, payer: wallet.address },
    sell: { input: token, output: quote, payer: wallet.address },
  };
}

/** Launches a token in a pool with SOL: the owner has the supply, and the first position unless another is given. */
export function launchPool(scene: Scene, parameters: PoolParameters = POOL, creator?: Address) {
  const [owner, nft] = [scene.rich('owner'), scene.key('nft')];
  const base = scene.token('pool mint', owner, 1_000_000_000_000_000n);
  const tokens: PoolTokens = {
    mintA: base.mint,
    programA: TOKEN_PROGRAM,
    mintB: WSOL_MINT,
    programB: TOKEN_PROGRAM,
  };
  const [tokenA, tokenB] = [ata(owner.address, base), ata(owner.address, WSOL)];
  scene.done([owner], ...wrap(owner.address, 20n * SOL));
  scene.done(
    [owner, nft],
    initializePool(
      tokens,
      { creator: creator ?? owner.address, nftMint: nft.address, payer: owner.address, tokenA, tokenB },
      parameters,
    ),
  );
  const place = { nftMint: nft.address, owner: owner.address, tokenA, tokenB };
  return { owner, base, tokens, pool: poolAddress(base.mint, WSOL_MINT), place };
}
