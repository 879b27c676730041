/** Acts of Meteora DBC instructions. */
import type { Act } from '../acts.ts';
import { termsOfCurveArgs } from '../poolTerms/curve.ts';
import type { ActsOf } from '../program.ts';
import { METADATA_BYTES, METADATA_FEE } from '../tokenMetadata/addresses.ts';
import { limitsOf, tradeActs } from '../trade.ts';
import { holder } from '../view.ts';
import type { dbcLayouts } from './instructions.ts';

const VENUE = 'Meteora DBC';

export const dbcActs: ActsOf<typeof dbcLayouts> = {
  'dbc.createConfig': ({ accounts, args }) => [
    {
      act: 'createPoolConfig',
      venue: VENUE,
      config: accounts.config.address,
      quote: accounts.quoteMint.address,
      feeClaimer: accounts.feeClaimer.address,
      leftoverReceiver: accounts.leftoverReceiver.address,
      payer: accounts.payer.address,
      terms: termsOfCurveArgs(args),
    },
  ],
  'dbc.initializeVirtualPoolWithSplToken': ({ accounts, args }) => [
    {
      ...newPool(accounts, args),
      makes: [
        ...createdAccounts(accounts, MINT_BYTES),
        { account: accounts.mintMetadata.address, bytes: METADATA_BYTES },
      ],
      surcharge: METADATA_FEE,
      surchargeOn: accounts.mintMetadata.address,
    },
  ],
  'dbc.initializeVirtualPoolWithToken2022': ({ accounts, args }) => [
    { ...newPool(accounts, args), makes: createdAccounts(accounts) },
  ],
  'dbc.swap': ({ accounts, args }, view) =>
    tradeActs(view, VENUE, accounts, accounts.baseMint.address, accounts.quoteMint.address, {
      maxIn: args.amountIn,
      minOut: args.minimumAmountOut,
      exact: 'in',
    }),
  'dbc.swap2': ({ accounts, args }, view) =>
    tradeActs(view, VENUE, accounts, accounts.baseMint.address, accounts.quoteMint.address, limitsOf(args)),
  'dbc.claimTradingFee': ({ accounts, args }, view) => [
    {
      act: 'claim',
      what: "the partner's part of a pool's fees",
      from: accounts.pool.address,
      payouts: [
        {
          asset: accounts.baseMint.address,
          to: holder(view, accounts.tokenAAccount.address),
          most: args.maxAmountA,
        },
        {
          asset: accounts.quoteMint.address,
          to: holder(view, accounts.tokenBAccount.address),
          most: args.maxAmountB,
        },
      ],
      beneficiary: accounts.feeClaimer.address,
    },
  ],
  'dbc.claimCreatorTradingFee': ({ accounts, args }, view) => [
    {
      act: 'claim',
      what: "the creator's part of a pool's fees",
      from: accounts.pool.address,
      payouts: [
        {
          asset: accounts.baseMint.address,
          to: holder(view, accounts.tokenAAccount.address),
          most: args.maxBaseAmount,
        },
        {
          asset: accounts.quoteMint.address,
          to: holder(view, accounts.tokenBAccount.address),
          most: args.maxQuoteAmount,
        },
      ],
      beneficiary: accounts.creator.address,
    },
  ],
};

type Accounts = Readonly<
  Record<
    'config' | 'creator' | 'baseMint' | 'quoteMint' | 'pool' | 'payer' | 'baseVault' | 'quoteVault',
    { readonly address: string }
  >
>;

const newPool = (
  accounts: Accounts,
  { name, symbol, uri }: { readonly name: string; readonly symbol: string; readonly uri: string },
) =>
  ({
    act: 'createPool',
    venue: VENUE,
    pool: accounts.pool.address,
    config: accounts.config.address,
    base: accounts.baseMint.address,
    quote: accounts.quoteMint.address,
    creator: accounts.creator.address,
    payer: accounts.payer.address,
    token: { name, symbol, uri },
  }) satisfies Partial<Act>;

/** Sizes in bytes: a mint without extensions, a pool, and a vault of such a mint. */
const [MINT_BYTES, POOL_BYTES, VAULT_BYTES] = [82, 424, 165];

const createdAccounts = (accounts: Accounts, mintBytes?: number) => [
  { account: accounts.baseMint.address, ...(mintBytes === undefined ? {} : { bytes: mintBytes }) },
  { account: accounts.pool.address, bytes: POOL_BYTES },
  { account: accounts.baseVault.address, bytes: VAULT_BYTES },
  { account: accounts.quoteVault.address, bytes: VAULT_BYTES },
];
