/** Meteora DBC: what each instruction does. */
import type { Act } from '../acts.ts';
import { termsOfCurveArgs } from '../poolTerms/curve.ts';
import { defineProgram, type InstructionIn } from '../program.ts';
import { METADATA_BYTES, METADATA_FEE } from '../tokenMetadata/addresses.ts';
import { limitsOf, tradeActs } from '../trade.ts';
import { holder } from '../view.ts';
import { DBC_PROGRAM } from './addresses.ts';
import { dbcLayouts, dbcNamed } from './instructions.ts';

const VENUE = 'Meteora DBC';

type Created = InstructionIn<
  typeof dbcLayouts,
  'dbc.initializeVirtualPoolWithSplToken' | 'dbc.initializeVirtualPoolWithToken2022'
>;

const newPool = ({ accounts, args: token }: Created) =>
  ({
    act: 'createPool',
    venue: VENUE,
    pool: accounts.pool.address,
    config: accounts.config.address,
    base: accounts.baseMint.address,
    quote: accounts.quoteMint.address,
    creator: accounts.creator.address,
    payer: accounts.payer.address,
    token,
  }) satisfies Partial<Act>;

/** Sizes in bytes: a mint without extensions, a pool, and a vault of such a mint. */
const [MINT_BYTES, POOL_BYTES, VAULT_BYTES] = [82, 424, 165];

const createdAccounts = ({ accounts }: Created, mintBytes?: number) => [
  { account: accounts.baseMint.address, ...(mintBytes === undefined ? {} : { bytes: mintBytes }) },
  { account: accounts.pool.address, bytes: POOL_BYTES },
  { account: accounts.baseVault.address, bytes: VAULT_BYTES },
  { account: accounts.quoteVault.address, bytes: VAULT_BYTES },
];

export const dbc = defineProgram({
  name: 'Meteora DBC',
  addresses: [DBC_PROGRAM],
  source:
    'the public interface 0.2.1 in @meteora-ag/dynamic-bonding-curve-sdk 1.5.12; addresses and accounts were compared with the real program',
  layouts: dbcLayouts,
  named: dbcNamed,
  acts: {
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
    'dbc.initializeVirtualPoolWithSplToken': (instruction) => [
      {
        ...newPool(instruction),
        makes: [
          ...createdAccounts(instruction, MINT_BYTES),
          { account: instruction.accounts.mintMetadata.address, bytes: METADATA_BYTES },
        ],
        surcharge: METADATA_FEE,
        surchargeOn: instruction.accounts.mintMetadata.address,
      },
    ],
    'dbc.initializeVirtualPoolWithToken2022': (instruction) => [
      { ...newPool(instruction), makes: createdAccounts(instruction) },
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
  },
});
