/** Building launches, and the reads about launches. docs/contract.md C-BUNDLE-01 … 05, C-DIRECT-01, C-CURVE-01 … 02, C-FEED-01, C-CREATOR-01 … 03. */
import { z } from 'zod';
import { building, reading } from '../endpoint.ts';
import { flags, texts } from '../nullishFields.ts';
import {
  ParamFeeLimits,
  ParamIpfs,
  ParamLookupTables,
  ParamMint,
  ParamTipLamports,
  ParamTipWallet,
  ParamTokenProgram,
  ParamTransactionFormat,
  publicKey,
  rawAmount,
  safeAmount,
  wallet,
} from '../params.ts';
import { planning } from '../plan.ts';

export const dammLaunchFields = {
  ipfs: ParamIpfs,
  tokenMint: publicKey('Mint from create_token_info.'),
  wallet: wallet('Launch wallet; pays and signs every transaction.'),
  quoteMint: publicKey('Quote mint from list_supported_quote_tokens.'),
  feeClaimerWallet: publicKey('Receives the 50% fee position NFT. Default: wallet.').nullish(),
  initialBuyQuoteAmount: safeAmount('First buy, quote base units.').nullish(),
  partner: publicKey('Wallet of an existing partner config.').nullish(),
};

/** Request of a custody bundle: a direct pool, no fee share config. */
export const dammLaunch = building('/token-launch/damm-v2/create-transaction', {
  request: z.strictObject(dammLaunchFields),
  /** Opaque until `bundleSchema` reads it. */
  response: z.looseObject({ transactions: z.array(z.looseObject({})), launch: z.looseObject({}) }),
  transactions: { path: 'transactions[].transaction', encoding: 'base64' },
});

export const dammLaunchV2Fields = {
  tokenMint: publicKey('Mint from create_token_info.'),
  wallet: wallet('Launch wallet; pays and signs.'),
  feeShareConfig: publicKey('Fee share config account.'),
  quoteMint: publicKey('Quote mint of the config.'),
  ipfs: ParamIpfs,
  quoteTokenProgram: ParamTokenProgram.nullish(),
  initialBuyQuoteRaw: rawAmount('First buy, quote base units.').nullish(),
  tipWallet: ParamTipWallet.nullish(),
  tipLamports: ParamTipLamports.nullish(),
  transactionFormat: ParamTransactionFormat.nullish(),
  feeLimits: ParamFeeLimits.nullish(),
  additionalLookupTables: ParamLookupTables.nullish(),
};

/** A direct pool with fee share; the plan is the answer itself. */
export const dammLaunchV2 = planning(
  '/token-launch/damm-v2/create-transaction/v2',
  z.strictObject(dammLaunchV2Fields),
);

export const curveLaunchFields = {
  ipfs: ParamIpfs,
  tokenMint: publicKey('Mint from create_token_info.'),
  wallet: wallet('Launch wallet; pays and signs.'),
  initialBuyLamports: safeAmount('First buy in lamports; 0 for none.'),
  configKey: publicKey("The config's venueConfigKey."),
  tipWallet: ParamTipWallet.nullish(),
  tipLamports: ParamTipLamports.nullish(),
};

/** A SOL-quoted bonding-curve launch; the answer is one bare transaction, already signed by the token mint. */
export const curveLaunch = building('/token-launch/create-launch-transaction', {
  request: z.strictObject(curveLaunchFields),
  response: z.string().min(1),
  transactions: { path: '', encoding: 'base64' },
});

export const curveLaunchV2Fields = {
  ...dammLaunchV2Fields,
  configKey: publicKey("The config's venueConfigKey."),
};

/** A bonding-curve launch in a custom quote; the plan is the answer itself. */
export const curveLaunchV2 = planning(
  '/token-launch/create-transaction/v2',
  z.strictObject(curveLaunchV2Fields),
);

export const launchFeed = reading('/token-launch/feed', {
  keyed: 'try',
  send: 'none',
  request: z.strictObject({}),
  response: z.array(
    z.looseObject({
      tokenMint: z.string(),
      ...texts('name', 'symbol', 'description', 'image', 'status', 'twitter', 'website', 'launchSignature'),
      ...texts('uri', 'dbcPoolKey', 'dbcConfigKey'),
      accountKeys: z.array(z.string()).nullish(),
      numRequiredSigners: z.number().nullish(),
    }),
  ),
});

export const launchCreatorSchema = z.looseObject({
  wallet: z.string(),
  ...texts('provider', 'username', 'providerUsername', 'twitterUsername', 'bagsUsername', 'pfp'),
  royaltyBps: z.number().nullish(),
  ...flags('isCreator', 'isAdmin'),
});

export const launchCreators = reading('/token-launch/creator/v3', {
  keyed: 'try',
  request: z.strictObject({ tokenMint: ParamMint }),
  response: z.array(launchCreatorSchema),
});

/** `providerUsername` when there is one: `username` is an internal, optional name (C-CREATOR-03). */
export const creatorDisplayName = (entry: z.infer<typeof launchCreatorSchema>): string | undefined =>
  entry.providerUsername || entry.username || undefined;
