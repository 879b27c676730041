/**
 * The sandbox's synthetic EVM history (chain id 4663): one token per contract version with trades, roster and earnings,
 * equal for equal seeds. It includes ties within one second, a migration, sells and nulls.
 */
import { createHash } from 'node:crypto';
import { getAddress } from 'viem/utils';

const NATIVE = {
  address: '0x0000000000000000000000000000000000000000',
  symbol: 'ETH',
  decimals: 18,
  isNative: true,
};
const VERSIONS = ['v1', 'v2', 'v3'] as const;
const WEI = 10n ** 18n;
/** Price of the quote of version 3. */
const USD_PER_ETH = 2000n;
const [TRADES, TRADE_SECONDS, BLOCK_SECONDS] = [320, 30, 2];
/** Trades of this range share one second. */
const [BURST_FROM, BURST_TO] = [60, 280];
const TOKEN_SECONDS = 5_400;
const MIGRATED_AFTER_SECONDS = 600;

const digest = (label: string): string => `0x${createHash('sha256').update(label).digest('hex')}`;
const address = (label: string): string => getAddress(digest(label).slice(0, 42));

export type EvmToken = ReturnType<typeof createToken>;

/** Returns the tokens at `now` (unix seconds), newest first. */
export const createEvmHistory = (seed: string, now: number): EvmToken[] =>
  VERSIONS.map((_, index) => createToken(`${seed}/evm/${index}`, index, now - (index + 1) * TOKEN_SECONDS));

function createToken(label: string, index: number, createdAt: number) {
  const of = (part: string) => address(`${label}/${part}`);
  const version = VERSIONS[index] ?? 'v1';
  const migratedAt = index % 2 === 1 ? createdAt + MIGRATED_AFTER_SECONDS : null;
  const createdAtBlock = 1_000_000 + (Math.floor(createdAt / BLOCK_SECONDS) % 10_000_000);
  const partner = index % 2 === 0 ? of('partner') : null;
  const quote =
    version === 'v3' ? { address: of('quote'), symbol: 'USDX', decimals: 6, isNative: false } : NATIVE;
  const trades = Array.from({ length: TRADES }, (_, nth) =>
    createTrade(`${label}/${nth}`, nth, createdAt, createdAtBlock, migratedAt, quote),
  ).reverse();
  const fees = trades.reduce((sum, { feeQuoteWei }) => sum + BigInt(feeQuoteWei), 0n);
  const earns = (wallet: string, bps: number, isPartner = false) => {
    const earned = (fees * BigInt(bps)) / 10_000n;
    const [claimedWei, claimableWei] = [earned / 2n, earned / 4n];
    return {
      ...{ address: wallet, bps, isPartner },
      claimedWei: `${claimedWei}`,
      claimableWei: `${claimableWei}`,
      pendingWei: `${earned - claimedWei - claimableWei}`,
    };
  };
  const creator = of('creator');
  return {
    address: of('token'),
    version,
    name: `Sandbox token ${index}`,
    symbol: `SBX${index}`,
    metadataURI: `ipfs://sandbox/${index}`,
    metadata: index === 2 ? null : { image: `ipfs://sandbox/${index}.png`, description: 'A sandbox token' },
    curve: of('curve'),
    feeShare: of('fee share'),
    poolId: digest(`${label}/pool`),
    creator,
    partner,
    partnerFeeBps: partner === null ? 0 : 500,
    createdAtBlock,
    createdAtTimestamp: createdAt,
    txHash: digest(`${label}/created`),
    migrated: migratedAt !== null,
    migratedAtBlock: migratedAt === null ? null : createdAtBlock + MIGRATED_AFTER_SECONDS / BLOCK_SECONDS,
    migratedAtTimestamp: migratedAt,
    quote,
    fees: { buyFeeBps: 100, sellFeeBps: 100, protocolBuyFeeBps: 25, protocolSellFeeBps: 25 },
    recipients: [
      earns(creator, partner === null ? 7_000 : 6_500),
      earns(of('friend'), 3_000),
      ...(partner === null ? [] : [earns(partner, 500, true)]),
    ],
    /** Newest first; ties by id, descending. */
    trades,
  };
}

function createTrade(
  label: string,
  nth: number,
  createdAt: number,
  createdAtBlock: number,
  migratedAt: number | null,
  quote: typeof NATIVE,
) {
  const inBurst = nth >= BURST_FROM && nth < BURST_TO;
  const steps = nth < BURST_FROM ? nth : inBurst ? BURST_FROM : nth - BURST_TO + BURST_FROM + 1;
  const timestamp = createdAt + steps * TRADE_SECONDS;
  const blockNumber = createdAtBlock + (steps * TRADE_SECONDS) / BLOCK_SECONDS;
  const logIndex = inBurst ? nth - BURST_FROM : 0;
  // Amounts have the decimals of their currency; prices are whole quote tokens with 18 decimals.
  const wei = (WEI / 1000n) * BigInt(1 + ((nth * 997) % 5000));
  const quoteWei = (wei * 10n ** BigInt(quote.decimals)) / WEI;
  const price = 10n ** 12n + 10n ** 9n * BigInt(nth);
  const inEth = (amount: bigint) => (quote.isNative ? amount : amount / USD_PER_ETH);
  return {
    id: `${String(blockNumber).padStart(10, '0')}-${String(logIndex).padStart(5, '0')}`,
    kind: nth % 3 === 0 ? 'sell' : 'buy',
    venue: migratedAt !== null && timestamp >= migratedAt ? 'pool' : 'curve',
    account: address(`${label}/account`),
    ethWei: inEth(wei).toString(),
    tokenWei: ((wei * WEI) / price).toString(),
    priceEthPerToken: inEth(price).toString(),
    quoteWei: quoteWei.toString(),
    priceQuotePerToken: price.toString(),
    feeQuoteWei: (quoteWei / 100n).toString(),
    blockNumber,
    timestamp,
    txHash: digest(label),
    logIndex,
  };
}

/**
 * Returns the page after a compound cursor (C-EVM) of trades that are sorted newest first. With both parts the page starts
 * right after that trade, so ties are not skipped; with `beforeTs` alone, at strictly older timestamps.
 */
export function tradePage<T extends { readonly timestamp: number; readonly id: string }>(
  trades: readonly T[],
  { limit, beforeTs, beforeId }: { limit: number; beforeTs?: number; beforeId?: string },
) {
  const rest = trades.filter(({ timestamp, id }) => {
    if (beforeTs === undefined || timestamp < beforeTs) return true;
    return beforeId !== undefined && timestamp === beforeTs && id < beforeId;
  });
  const page = rest.slice(0, limit);
  const last = rest.length > page.length ? page.at(-1) : undefined;
  return { trades: page, nextBeforeTs: last?.timestamp ?? null, nextBeforeId: last?.id ?? null };
}
