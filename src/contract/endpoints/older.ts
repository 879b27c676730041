/**
 * Older forms that the official client of the known deployment still asks for: configs, claims and swaps as bare
 * transactions, and bundles. No tool asks for them; the sandbox answers them, so that a program written with that client
 * can be tried on it. docs/contract.md C-OLDER-01 … 06.
 */
import { z } from 'zod';
import { TOTAL_BASIS_POINTS } from '../constants.ts';
import { building, reading } from '../endpoint.ts';
import {
  checkSplit,
  integer,
  ParamBasisPoints,
  ParamClaimers,
  ParamLookupTables,
  ParamMint,
  ParamTipLamports,
  ParamTipWallet,
  publicKey,
  wallet,
} from '../params.ts';
import { flags, texts } from '../unsaid.ts';
import { ParamConfigType } from './feeShare.ts';

/** A bare transaction with the blockhash it was compiled with. */
export const timedTransaction = z.looseObject({
  transaction: z.string().min(1),
  blockhash: z.looseObject({ blockhash: z.string(), lastValidBlockHeight: z.number() }),
});

const splitFields = {
  baseMint: ParamMint,
  payer: wallet('Pays and signs.'),
  claimersArray: ParamClaimers,
  basisPointsArray: ParamBasisPoints,
  additionalLookupTables: ParamLookupTables.nullish(),
};

/** A split in the older form. */
export const updateFields = z.strictObject(splitFields).superRefine(checkSplit);

/** A config in SOL for a curve; the staged plan of feeShareConfig is its successor. */
export const olderConfig = building('/fee-share/config', {
  request: z
    .strictObject({
      ...splitFields,
      partner: publicKey('Partner wallet.').nullish(),
      partnerConfig: publicKey('Config of the partner.').nullish(),
      admin: publicKey('Manager of the config.').nullish(),
      serviceConfigType: ParamConfigType.nullish(),
      tipWallet: ParamTipWallet.nullish(),
      tipLamports: ParamTipLamports.nullish(),
    })
    .superRefine(checkSplit),
  response: z.looseObject({
    needsCreation: z.boolean(),
    feeShareAuthority: z.string(),
    meteoraConfigKey: z.string().nullish(),
    transactions: z.array(timedTransaction).nullish(),
    bundles: z.array(z.array(timedTransaction)).nullish(),
  }),
  transactions: { path: 'transactions[].transaction', encoding: 'base64' },
});

/** What a wallet can claim, in lamports, position by position. */
export const olderClaimables = reading('/token-launch/claimable-positions', {
  request: z.strictObject({ wallet: publicKey('Wallet entitled to the fees.') }),
  response: z.array(
    z.looseObject({
      baseMint: z.string(),
      quoteMint: z.string().nullish(),
      totalClaimableLamportsUserShare: z.number().nullish(),
      ...flags('isCustomFeeVault', 'isMigrated'),
    }),
  ),
});

/** Claims of one token as bare transactions. */
export const olderClaimTxs = building('/token-launch/claim-txs/v3', {
  request: z.strictObject({
    feeClaimer: wallet('Wallet entitled to the fees; pays and signs.'),
    tokenMint: ParamMint,
  }),
  response: z.array(
    z.looseObject({
      tx: z.string().min(1),
      blockhash: z.looseObject({ blockhash: z.string(), lastValidBlockHeight: z.number() }).nullish(),
    }),
  ),
  transactions: { path: '[].tx', encoding: 'base64' },
});

/** A quote without a taker. */
export const olderQuote = reading('/trade/quote', {
  request: z.strictObject({
    inputMint: publicKey('Mint to sell.'),
    outputMint: publicKey('Mint to buy.'),
    amount: integer(1, Number.MAX_SAFE_INTEGER, 'Amount to sell, base units.'),
    slippageMode: z.enum(['auto', 'manual']).describe('Default auto.').nullish(),
    slippageBps: integer(0, TOTAL_BASIS_POINTS, 'Required when slippageMode is manual.').nullish(),
  }),
  response: z.looseObject({
    requestId: z.string(),
    contextSlot: z.number().nullish(),
    inputMint: z.string(),
    outputMint: z.string(),
    inAmount: z.string(),
    outAmount: z.string(),
    ...texts('minOutAmount', 'otherAmountThreshold'),
    priceImpactPct: z.union([z.string(), z.number()]).nullish(),
    slippageBps: z.number().nullish(),
    routePlan: z.array(z.unknown()).nullish(),
    simulatedComputeUnits: z.number().nullish(),
  }),
  exact: true,
});

/** A swap of such a quote, which is sent back whole; the service goes by its `requestId`. */
export const olderSwap = building('/trade/swap', {
  request: z.strictObject({
    quoteResponse: z.looseObject({ requestId: z.string() }).describe('The quote as it was given.'),
    userPublicKey: wallet('Wallet that swaps; signs.'),
  }),
  response: z.looseObject({
    swapTransaction: z.string().min(1),
    computeUnitLimit: z.number().nullish(),
    lastValidBlockHeight: z.number(),
    prioritizationFeeLamports: z.number().nullish(),
  }),
  transactions: { path: 'swapTransaction', encoding: 'base64' },
});
