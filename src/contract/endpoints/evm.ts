/** Read-only data of the EVM chain (id 4663). docs/contract.md C-EVM-01 … 09, C-WIRE-05. */
import { z } from 'zod';
import { LIMITS } from '../constants.ts';
import { reading } from '../endpoint.ts';
import { flags, numbers, texts } from '../nullishFields.ts';
import { evmAddress, integer, refusing, text, unixSeconds } from '../params.ts';

const UNKNOWN_TOKEN = 'No deployment knows this address. Check that it is a token of this EVM chain.';

export const evmQuoteSchema = z.looseObject({
  ...texts('address', 'symbol'),
  decimals: z.number().nullish(),
  isNative: z.boolean().nullish(),
});

export const evmTradeSchema = z.looseObject({
  id: z.string(),
  kind: z.string(),
  venue: z.string().nullish(),
  account: z.string(),
  ethWei: z.string().nullish(),
  tokenWei: z.string(),
  /** Fixed point with 18 decimals. */
  ...texts('priceEthPerToken', 'quoteWei', 'priceQuotePerToken', 'feeQuoteWei'),
  blockNumber: z.number(),
  timestamp: z.number(),
  txHash: z.string(),
  logIndex: z.number(),
});

/** Page and cursor (B44 to B46). */
export const evmTradesFields = {
  tokenAddress: evmAddress('Token address.'),
  limit: integer(1, LIMITS.evmTrades, 'Trades per page. Default 50.').nullish(),
  beforeTs: unixSeconds('nextBeforeTs of the page before.').nullish(),
  beforeId: text(1, 256, 'nextBeforeId of the page before; needs beforeTs.').nullish(),
};

/** Both parts of a cursor are required (B45). */
export function checkEvmTrades(
  value: { beforeTs?: number | null | undefined; beforeId?: string | null | undefined },
  context: z.RefinementCtx,
): void {
  const refuse = refusing(value, context);
  if (typeof value.beforeId === 'string' && typeof value.beforeTs !== 'number') {
    refuse(
      'beforeTs',
      'is required with beforeId: pass nextBeforeTs and nextBeforeId of the same page together',
    );
  }
}

export const evmTrades = reading('/evm/rh/trades', {
  keyed: 'try',
  request: z.strictObject(evmTradesFields).superRefine(checkEvmTrades),
  response: z.looseObject({
    trades: z.array(evmTradeSchema),
    version: z.string().nullish(),
    quote: evmQuoteSchema.nullish(),
    nextBeforeTs: z.number().nullable(),
    nextBeforeId: z.string().nullable(),
  }),
  evmAddresses: ['tokenAddress'],
  notFound: UNKNOWN_TOKEN,
});

/** Launches, newest first (B51). */
export const evmTokenCreations = reading('/evm/rh/token-creations', {
  keyed: 'try',
  request: z.strictObject({
    limit: integer(1, LIMITS.evmTokenCreations, 'Default 50.').nullish(),
    sinceTs: unixSeconds('Launches at or after this second.').nullish(),
  }),
  response: z.looseObject({
    items: z.array(
      z.looseObject({
        address: z.string(),
        ...texts('name', 'symbol', 'metadataURI'),
        metadata: z.looseObject({ image: z.string().nullish(), description: z.string().nullish() }).nullish(),
        ...texts('curve', 'feeShare', 'poolId', 'creator', 'partner', 'txHash', 'version'),
        ...numbers('partnerFeeBps', 'createdAtBlock', 'createdAtTimestamp', 'migratedAtBlock'),
        migratedAtTimestamp: z.number().nullish(),
        migrated: z.boolean().nullish(),
        quote: evmQuoteSchema.nullish(),
        fees: z
          .looseObject({
            ...numbers('buyFeeBps', 'sellFeeBps', 'protocolBuyFeeBps', 'protocolSellFeeBps'),
          })
          .nullish(),
      }),
    ),
  }),
  notAfterNow: ['sinceTs'],
});

export const evmCreatorRoster = reading('/evm/rh/creator-roster', {
  keyed: 'try',
  request: z.strictObject({ tokenAddress: evmAddress('Token address.') }),
  response: z.looseObject({
    token: z.string(),
    ...texts('feeShare', 'partner'),
    partnerFeeBps: z.number().nullish(),
    recipients: z.array(
      z.looseObject({
        address: z.string(),
        bps: z.number(),
        ...texts('claimedWei', 'claimableWei', 'pendingWei'),
        isPartner: z.boolean().nullish(),
      }),
    ),
    version: z.string().nullish(),
    quote: evmQuoteSchema.nullish(),
  }),
  evmAddresses: ['tokenAddress'],
  notFound: UNKNOWN_TOKEN,
});

export const evmCreatorEarnings = reading('/evm/rh/creator-earnings', {
  keyed: 'try',
  request: z.strictObject({
    tokenAddress: evmAddress('Token address.'),
    user: evmAddress('User wallet.'),
  }),
  response: z.looseObject({
    token: z.string(),
    user: z.string(),
    ...texts('partner', 'claimableWei', 'claimedWei', 'pendingEstimateWei', 'version'),
    userBps: z.number().nullish(),
    ...flags('isClaimer', 'isPartner'),
    quote: evmQuoteSchema.nullish(),
  }),
  evmAddresses: ['tokenAddress', 'user'],
  notFound: UNKNOWN_TOKEN,
});
