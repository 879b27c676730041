/** Acts of Meteora DAMM v2 instructions. */
import type { AccountUse } from '../../transaction/types.ts';
import type { Act } from '../acts.ts';
import { type PoolParameters, termsOfPool } from '../poolTerms/pool.ts';
import type { ActsOf } from '../program.ts';
import { limitsOf, tradeActs } from '../trade.ts';
import { holder, type View } from '../view.ts';
import type { dammV2Layouts } from './instructions.ts';
import { depositsOf, type PoolNumbers } from './liquidity.ts';

const VENUE = 'Meteora DAMM v2';
const [POOL_BYTES, POSITION_BYTES] = [1_112, 408];
/** Sizes in bytes: a position's NFT mint with its metadata, and a token account with extensions. */
export const [NFT_MINT_BYTES, TOKEN_ACCOUNT_BYTES] = [640, 182];

interface NewPool {
  readonly creator: AccountUse;
  readonly positionNftMint: AccountUse;
  readonly positionNftAccount: AccountUse;
  readonly payer: AccountUse;
  readonly pool: AccountUse;
  readonly position: AccountUse;
  readonly tokenAMint: AccountUse;
  readonly tokenBMint: AccountUse;
  readonly tokenAVault: AccountUse;
  readonly tokenBVault: AccountUse;
  readonly payerTokenA: AccountUse;
  readonly payerTokenB: AccountUse;
}

/** Returns the acts of a new pool: the pool, the creator's first position, and the payer's deposits. */
function newPool(
  accounts: NewPool,
  args: PoolNumbers & PoolParameters,
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

export const dammV2Acts: ActsOf<typeof dammV2Layouts> = {
  'dammV2.initializeCustomizablePool': ({ accounts, args }, view) => newPool(accounts, args, undefined, view),
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
};
