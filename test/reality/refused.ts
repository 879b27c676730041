/** Configs and pools at the limits: the original must refuse the same ones with the same error. */
import { DAMM_V2_PROGRAM, DBC_PROGRAM } from '../../sandbox/programs/addresses.ts';
import { initializePool, MAX_SQRT_PRICE, type PoolParameters } from '../../sandbox/programs/dammV2.ts';
import { createCurveConfig } from '../../sandbox/programs/dbc.ts';
import { ata, wrap } from '../../sandbox/service/build/tokens.ts';
import type { ConfigParameters } from '../../src/programs/dbc/instructions.ts';
import { TOKEN_PROGRAM, WSOL_MINT } from '../../src/transaction/programs.ts';
import { SOL, WSOL } from '../sandbox/programs/scene.ts';
import { CURVE, curveFees, POOL } from '../sandbox/programs/worlds.ts';
import type { Scenario } from './play.ts';

const HELD_BACK = {
  amountPerPeriod: 5n,
  cliffDurationFromMigrationTime: 1n,
  frequency: 1n,
  numberOfPeriod: 2n,
  cliffUnlockAmount: 0n,
};
const afterwards = (poolFeeBps: number) => ({ migratedPoolFee: { ...CURVE.migratedPoolFee, poolFeeBps } });
const CONFIGS: Readonly<Record<string, Partial<ConfigParameters>>> = {
  'liquidity that is not divided wholly': { creatorPermanentLockedLiquidityPercentage: 49 },
  'no threshold': { migrationQuoteThreshold: 0n },
  'a threshold the curve never reaches': { migrationQuoteThreshold: 10n ** 18n },
  'a curve without points': { curve: [] },
  'a curve that falls': { curve: [...CURVE.curve].reverse() },
  'more than everything for the creator': { creatorTradingFeePercentage: 101 },
  'a fee above everything': curveFees({ cliffFeeNumerator: 1_000_000_001n }),
  'the largest fee': curveFees({ cliffFeeNumerator: 990_000_000n }),
  'a fee above the largest': curveFees({ cliffFeeNumerator: 990_000_001n }),
  'the smallest fee': curveFees({ cliffFeeNumerator: 2_500_000n }),
  'a fee below the smallest': curveFees({ cliffFeeNumerator: 2_499_999n }),
  'an unknown schedule': curveFees({ baseFeeMode: 7 }),
  'an unknown way to collect fees': { collectFeeMode: 3 },
  'an unknown way to count time': { activationType: 2 },
  'nine decimals': { tokenDecimal: 9 },
  'decimals that are too few': { tokenDecimal: 5 },
  'decimals that are too many': { tokenDecimal: 10 },
  'an unknown migration': { migrationOption: 9 },
  'a fee of its own choice after the curve, without one': { migrationFeeOption: 6 },
  'a fee of its own choice after the curve': { migrationFeeOption: 6, ...afterwards(100) },
  'the least fee after the curve': { migrationFeeOption: 6, ...afterwards(10) },
  'less than the least fee after the curve': { migrationFeeOption: 6, ...afterwards(9) },
  'the largest fee after the curve': { migrationFeeOption: 6, ...afterwards(1_000) },
  'more than the largest fee after the curve': { migrationFeeOption: 6, ...afterwards(1_001) },
  'a fee after the curve beside a fixed one': afterwards(100),
  'an unknown migration fee': { migrationFeeOption: 9 },
  'an unknown authority over metadata': { tokenUpdateAuthority: 9 },
  'a part held back that is never paid out': { lockedVesting: { ...HELD_BACK, frequency: 0n } },
  'a part held back': { lockedVesting: HELD_BACK },
  'a part held back that is paid out once': {
    lockedVesting: { ...HELD_BACK, amountPerPeriod: 0n, cliffUnlockAmount: 10n },
  },
  'nothing held back, and a time for it': { lockedVesting: { ...HELD_BACK, numberOfPeriod: 0n } },
  'a supply that does not suffice': {
    tokenSupply: { preMigrationTokenSupply: 10n, postMigrationTokenSupply: 10n },
  },
};

const POOLS: Readonly<Record<string, Partial<PoolParameters>>> = {
  'a price outside its range': { price: 1n },
  'an empty range': { minPrice: POOL.price, maxPrice: POOL.price },
  'a range that is too wide': { maxPrice: MAX_SQRT_PRICE + 1n },
  'no liquidity': { liquidity: 0n },
  'an unknown way to collect fees': { collectFeeMode: 3 },
  'an unknown way to count time': { activationType: 2 },
  'a fee above everything': { baseFee: { ...POOL.baseFee, cliff: 1_000_000_000n } },
  'a fee above the largest': { baseFee: { ...POOL.baseFee, cliff: 990_000_001n } },
  'a fee below the smallest': { baseFee: { ...POOL.baseFee, cliff: 99_999n } },
  'an unknown schedule': { baseFee: { ...POOL.baseFee, mode: 7 } },
  'a start in the past': { activationPoint: 1n },
  'the largest fee': { baseFee: { ...POOL.baseFee, cliff: 990_000_000n }, minPrice: POOL.price },
};

export const refusedScenarios: readonly Scenario[] = [
  {
    name: 'configs of the curve at the edge of what is allowed',
    programs: [DBC_PROGRAM],
    play({ scene, step }) {
      const payer = scene.rich('payer');
      for (const [name, change] of Object.entries(CONFIGS)) {
        const config = scene.key(name);
        const accounts = {
          config: config.address,
          feeClaimer: payer.address,
          leftoverReceiver: payer.address,
          quoteMint: WSOL_MINT,
          payer: payer.address,
        };
        step(name, [payer, config], createCurveConfig(accounts, { ...CURVE, ...change }));
      }
    },
  },
  {
    name: 'pools of DAMM v2 at the edge of what is allowed',
    programs: [DAMM_V2_PROGRAM],
    play({ scene, step }) {
      const owner = scene.rich('owner');
      const base = scene.token('pool mint', owner, 10n ** 15n);
      scene.done([owner], ...wrap(owner.address, 50n * SOL));
      const tokens = { mintA: base.mint, programA: TOKEN_PROGRAM, mintB: WSOL_MINT, programB: TOKEN_PROGRAM };
      for (const [name, change] of Object.entries(POOLS)) {
        const nft = scene.key(name);
        const accounts = {
          creator: owner.address,
          nftMint: nft.address,
          payer: owner.address,
          tokenA: ata(owner.address, base),
          tokenB: ata(owner.address, WSOL),
        };
        step(name, [owner, nft], initializePool(tokens, accounts, { ...POOL, ...change }));
      }
    },
  },
];
