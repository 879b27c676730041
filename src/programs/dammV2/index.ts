/** Meteora DAMM v2: what each instruction does. */
import type { AccountUse } from '../../transaction/types.ts';
import type { Act } from '../acts.ts';
import { termsOfPool } from '../poolTerms/pool.ts';
import { defineProgram, type InstructionIn } from '../program.ts';
import { limitsOf, tradeActs } from '../trade.ts';
import { holder, type View } from '../view.ts';
import { DAMM_V2_PROGRAM } from './addresses.ts';
import { dammV2Layouts, dammV2Named, type PoolParameters } from './instructions.ts';

const VENUE = 'Meteora DAMM v2';
const [POOL_BYTES, POSITION_BYTES] = [1_112, 408];
/** Sizes in bytes: a position's NFT mint with its metadata, and a token account with extensions. */
const [NFT_MINT_BYTES, TOKEN_ACCOUNT_BYTES] = [640, 182];

type NewPool = InstructionIn<typeof dammV2Layouts, 'dammV2.initializeCustomizablePool'>['accounts'];

/** Returns the acts of a new pool: the pool, the creator's first position, and the payer's deposits. */
function newPool(
  accounts: NewPool,
  args: PoolParameters,
  config: AccountUse | undefined,
  view: View,
): readonly Act[] {
  const { pool, position, positionNftMint, payer } = accounts;
  const { mostA, mostB } = depositsOf(args);
  return [
    {
      act: 'createPool',
      venue: VENUE,
      pool: pool.address,
      ...(config === undefined ? {} : { config: config.address }),
      base: accounts.tokenAMint.address,
      quote: accounts.tokenBMint.address,
      creator: accounts.creator.address,
      payer: payer.address,
      makes: [
        { account: pool.address, bytes: POOL_BYTES },
        { account: position.address, bytes: POSITION_BYTES },
        { account: positionNftMint.address, bytes: NFT_MINT_BYTES },
        { account: accounts.positionNftAccount.address, bytes: TOKEN_ACCOUNT_BYTES },
        { account: accounts.tokenAVault.address, bytes: TOKEN_ACCOUNT_BYTES },
        { account: accounts.tokenBVault.address, bytes: TOKEN_ACCOUNT_BYTES },
      ],
      terms: termsOfPool(args),
    },
    {
      act: 'openPosition',
      venue: VENUE,
      pool: pool.address,
      position: position.address,
      nftMint: positionNftMint.address,
      owner: accounts.creator.address,
      payer: payer.address,
    },
    {
      act: 'addLiquidity',
      venue: VENUE,
      pool: pool.address,
      position: position.address,
      liquidity: args.liquidity,
      deposits: [
        deposit(accounts.tokenAMint, accounts.payerTokenA, mostA, view),
        deposit(accounts.tokenBMint, accounts.payerTokenB, mostB, view),
      ],
      authority: payer.address,
    },
  ];
}

const deposit = (mint: AccountUse, from: AccountUse, most: bigint | undefined, view: View) => ({
  asset: mint.address,
  from: holder(view, from.address),
  ...(most === undefined ? {} : { most }),
});

/** Square root prices are in units of 2^-64, so products with liquidity are scaled by 2^128. */
const SCALE = 128n;
/** Fee mode of compounding pools, whose liquidity covers all prices. */
const COMPOUNDING = 2;

const upward = (value: bigint, divisor: bigint): bigint => (value + divisor - 1n) / divisor;

type PoolNumbers = Pick<
  PoolParameters,
  'sqrtMinPrice' | 'sqrtMaxPrice' | 'sqrtPrice' | 'liquidity' | 'collectFeeMode'
>;

/**
 * Returns the base units of both tokens that are deposited, rounded up like the program does. Empty for compounding pools
 * and for prices that the program refuses.
 */
export function depositsOf(args: PoolNumbers): { readonly mostA?: bigint; readonly mostB?: bigint } {
  const { sqrtMinPrice, sqrtMaxPrice, sqrtPrice, liquidity, collectFeeMode } = args;
  if (collectFeeMode === COMPOUNDING) return {};
  if (sqrtMinPrice > sqrtPrice || sqrtPrice > sqrtMaxPrice || sqrtPrice === 0n) return {};
  return {
    mostA: upward(liquidity * (sqrtMaxPrice - sqrtPrice), sqrtPrice * sqrtMaxPrice),
    mostB: upward(liquidity * (sqrtPrice - sqrtMinPrice), 1n << SCALE),
  };
}

export const dammV2 = defineProgram({
  name: 'Meteora DAMM v2',
  addresses: [DAMM_V2_PROGRAM],
  source:
    'the public interface 0.2.5 in @meteora-ag/cp-amm-sdk 1.5.0; addresses and accounts were compared with the real program',
  layouts: dammV2Layouts,
  named: dammV2Named,
  acts: {
    'dammV2.initializeCustomizablePool': ({ accounts, args }, view) =>
      newPool(accounts, args, undefined, view),
    'dammV2.initializePoolWithDynamicConfig': ({ accounts, args }, view) =>
      newPool(accounts, args, accounts.config, view),
    'dammV2.createPosition': ({ accounts }) => [
      {
        act: 'openPosition',
        venue: VENUE,
        pool: accounts.pool.address,
        position: accounts.position.address,
        nftMint: accounts.positionNftMint.address,
        owner: accounts.owner.address,
        payer: accounts.payer.address,
      },
    ],
    'dammV2.addLiquidity': ({ accounts, args }, view) => [
      {
        act: 'addLiquidity',
        venue: VENUE,
        pool: accounts.pool.address,
        position: accounts.position.address,
        liquidity: args.liquidityDelta,
        deposits: [
          deposit(accounts.tokenAMint, accounts.tokenAAccount, args.tokenAAmountThreshold, view),
          deposit(accounts.tokenBMint, accounts.tokenBAccount, args.tokenBAmountThreshold, view),
        ],
        authority: accounts.signer.address,
      },
    ],
    'dammV2.permanentLockPosition': ({ accounts, args }) => [
      {
        act: 'lockLiquidity',
        venue: VENUE,
        pool: accounts.pool.address,
        position: accounts.position.address,
        liquidity: args.permanentLockLiquidity,
        authority: accounts.signer.address,
      },
    ],
    'dammV2.swap': ({ accounts, args }, view) =>
      tradeActs(view, VENUE, accounts, accounts.tokenAMint.address, accounts.tokenBMint.address, {
        maxIn: args.amountIn,
        minOut: args.minimumAmountOut,
        exact: 'in',
      }),
    'dammV2.swap2': ({ accounts, args }, view) =>
      tradeActs(
        view,
        VENUE,
        accounts,
        accounts.tokenAMint.address,
        accounts.tokenBMint.address,
        limitsOf(args),
      ),
    'dammV2.claimPositionFee': ({ accounts }, view) => [
      {
        act: 'claim',
        what: "a position's fees",
        from: accounts.position.address,
        payouts: [
          { asset: accounts.tokenAMint.address, to: holder(view, accounts.tokenAAccount.address) },
          { asset: accounts.tokenBMint.address, to: holder(view, accounts.tokenBAccount.address) },
        ],
        beneficiary: accounts.signer.address,
      },
    ],
  },
});
