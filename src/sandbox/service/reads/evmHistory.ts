/**
 * The sandbox's made-up EVM history (chain id 4663): tokens of contract versions v1, v2 and v3, their trades,
 * rosters and earnings, the same for the same seed. Values the contract does not show are the sandbox's own.
 * It has what breaks careless readers: ties within one second, migrations, sells, nulls.
 */
import { createHash } from 'node:crypto';
import { getAddress } from 'viem/utils';

export interface EvmQuote {
  address: string;
  symbol: string;
  decimals: number;
  isNative: boolean;
}

export interface EvmTrade {
  id: string;
  kind: 'buy' | 'sell';
  venue: 'curve' | 'pool';
  account: string;
  ethWei: string;
  tokenWei: string;
  priceEthPerToken: string;
  quoteWei: string;
  priceQuotePerToken: string;
  feeQuoteWei: string;
  blockNumber: number;
  timestamp: number;
  txHash: string;
  logIndex: number;
}

export interface EvmRecipient {
  address: string;
  bps: number;
  isPartner: boolean;
  claimedWei: bigint;
  claimableWei: bigint;
  pendingWei: bigint;
}

export interface EvmToken {
  address: string;
  version: 'v1' | 'v2' | 'v3';
  name: string;
  symbol: string;
  metadataURI: string;
  metadata: { image: string; description: string } | null;
  curve: string;
  feeShare: string;
  poolId: string;
  creator: string;
  partner: string | null;
  partnerFeeBps: number;
  createdAtBlock: number;
  createdAtTimestamp: number;
  txHash: string;
  migrated: boolean;
  migratedAtBlock: number | null;
  migratedAtTimestamp: number | null;
  quote: EvmQuote;
  fees: { buyFeeBps: number; sellFeeBps: number; protocolBuyFeeBps: number; protocolSellFeeBps: number };
  recipients: EvmRecipient[];
  /** Newest first; ties by id, descending. */
  trades: EvmTrade[];
}

export interface EvmHistory {
  /** Newest first. */
  tokens: EvmToken[];
  token(address: string): EvmToken | undefined;
}

/** A stream of numbers that depends on the seed and a label alone. */
function stream(seed: string, label: string) {
  let counter = 0;
  let pool = Buffer.alloc(0);
  const bytes = (n: number): Buffer => {
    while (pool.length < n) {
      pool = Buffer.concat([pool, createHash('sha256').update(`${seed}/${label}/${counter}`).digest()]);
      counter += 1;
    }
    const taken = pool.subarray(0, n);
    pool = pool.subarray(n);
    return taken;
  };
  return {
    below: (limit: number): number => bytes(6).readUIntBE(0, 6) % limit,
    address: (): string => getAddress(`0x${bytes(20).toString('hex')}`),
    hash: (): string => `0x${bytes(32).toString('hex')}`,
  };
}

const NATIVE: EvmQuote = {
  address: '0x0000000000000000000000000000000000000000',
  symbol: 'ETH',
  decimals: 18,
  isNative: true,
};
const WEI = 10n ** 18n;
/** What the quote of version 3 is worth; the sandbox's own number. */
const USD_PER_ETH = 2000n;
const BLOCK_SECONDS = 2;
const padded = (n: number, width: number): string => String(n).padStart(width, '0');

/**
 * Builds the history. `now` in unix seconds; `tokens` and `trades` (per token) size it.
 * Every third token has a burst of trades that share one second.
 */
export function createEvmHistory(options: {
  seed: string;
  now: number;
  tokens?: number;
  trades?: number;
}): EvmHistory {
  const tokens: EvmToken[] = [];
  const count = options.tokens ?? 12;
  for (let i = 0; i < count; i += 1) {
    tokens.push(
      createToken(options.seed, i, options.now - 3600 - i * 5400, options.trades ?? 320, options.now),
    );
  }
  const byAddress = new Map(tokens.map((token) => [token.address.toLowerCase(), token]));
  return { tokens, token: (address) => byAddress.get(address.toLowerCase()) };
}

function createToken(
  seed: string,
  index: number,
  createdAt: number,
  tradeCount: number,
  now: number,
): EvmToken {
  const random = stream(seed, `evm/${index}`);
  const version = (['v1', 'v2', 'v3'] as const)[index % 3] ?? 'v1';
  const migrated = index % 4 === 1;
  const createdAtBlock = 1_000_000 + (Math.floor(createdAt / BLOCK_SECONDS) % 10_000_000);
  const migratedAt = createdAt + 1800;
  const partner = index % 2 === 0 ? random.address() : null;
  const quote: EvmQuote =
    version === 'v3' ? { address: random.address(), symbol: 'USDX', decimals: 6, isNative: false } : NATIVE;
  const creator = random.address();
  const trades = createTrades(random, {
    createdAt,
    createdAtBlock,
    migratedAt: migrated ? migratedAt : null,
    count: tradeCount,
    burst: index % 3 === 0 ? Math.floor(tradeCount / 2) : 3,
    quote,
    now,
  });
  const volume = trades.reduce((sum, trade) => sum + BigInt(trade.feeQuoteWei), 0n);
  return {
    address: random.address(),
    version,
    name: `Sandbox token ${index}`,
    symbol: `SBX${index}`,
    metadataURI: `ipfs://sandbox/${index}`,
    metadata:
      index % 5 === 4 ? null : { image: `ipfs://sandbox/${index}.png`, description: 'made by the sandbox' },
    curve: random.address(),
    feeShare: random.address(),
    poolId: random.hash(),
    creator,
    partner,
    partnerFeeBps: partner === null ? 0 : 500,
    createdAtBlock,
    createdAtTimestamp: createdAt,
    txHash: random.hash(),
    migrated,
    migratedAtBlock: migrated ? createdAtBlock + 900 : null,
    migratedAtTimestamp: migrated ? migratedAt : null,
    quote,
    fees: { buyFeeBps: 100, sellFeeBps: 100, protocolBuyFeeBps: 25, protocolSellFeeBps: 25 },
    recipients: createRecipients(random, creator, partner, volume),
    trades,
  };
}

function createRecipients(
  random: ReturnType<typeof stream>,
  creator: string,
  partner: string | null,
  feePool: bigint,
): EvmRecipient[] {
  const shares: [string, number, boolean][] = [
    [creator, partner === null ? 7000 : 6500, false],
    [random.address(), 3000, false],
    ...(partner === null ? [] : [[partner, 500, true] satisfies [string, number, boolean]]),
  ];
  return shares.map(([address, bps, isPartner]) => {
    const earned = (feePool * BigInt(bps)) / 10_000n;
    return {
      address,
      bps,
      isPartner,
      claimedWei: earned / 2n,
      claimableWei: earned / 4n,
      pendingWei: earned - earned / 2n - earned / 4n,
    };
  });
}

interface TradePlan {
  createdAt: number;
  createdAtBlock: number;
  migratedAt: number | null;
  count: number;
  /** How many consecutive trades share one second. */
  burst: number;
  quote: EvmQuote;
  now: number;
}

function createTrades(random: ReturnType<typeof stream>, plan: TradePlan): EvmTrade[] {
  const trades: EvmTrade[] = [];
  const span = Math.max(plan.count, plan.now - plan.createdAt - 1);
  const burstFrom = Math.floor(plan.count / 3);
  let timestamp = plan.createdAt;
  let logIndex = 0;
  let lastBlock = 0;
  for (let i = 0; i < plan.count; i += 1) {
    const inBurst = i > burstFrom && i < burstFrom + plan.burst;
    if (!inBurst) {
      const step = random.below(Math.max(1, Math.floor((2 * span) / plan.count)));
      timestamp = Math.min(timestamp + step, plan.now - 1);
    }
    const blockNumber = plan.createdAtBlock + Math.floor((timestamp - plan.createdAt) / BLOCK_SECONDS);
    if (blockNumber !== lastBlock) logIndex = 0;
    lastBlock = blockNumber;
    // Amounts have the decimals of their currency; prices are whole quote tokens with 18 decimals.
    const wei = (WEI / 1000n) * BigInt(1 + random.below(5000));
    const quoteWei = (wei * 10n ** BigInt(plan.quote.decimals)) / WEI;
    const price = 10n ** 12n + 10n ** 9n * BigInt(i);
    const inEth = (amount: bigint) => (plan.quote.isNative ? amount : amount / USD_PER_ETH);
    trades.push({
      id: `${padded(blockNumber, 10)}-${padded(logIndex, 5)}`,
      kind: random.below(3) === 0 ? 'sell' : 'buy',
      venue: plan.migratedAt !== null && timestamp >= plan.migratedAt ? 'pool' : 'curve',
      account: random.address(),
      ethWei: inEth(wei).toString(),
      tokenWei: ((wei * WEI) / price).toString(),
      priceEthPerToken: inEth(price).toString(),
      quoteWei: quoteWei.toString(),
      priceQuotePerToken: price.toString(),
      feeQuoteWei: (quoteWei / 100n).toString(),
      blockNumber,
      timestamp,
      txHash: random.hash(),
      logIndex,
    });
    logIndex += 1;
  }
  return trades.sort(newestFirst);
}

/** Newest first; within one second by id, descending. Ids are zero-padded, so text order is chain order. */
export const newestFirst = (
  a: { timestamp: number; id: string },
  b: { timestamp: number; id: string },
): number => b.timestamp - a.timestamp || (a.id < b.id ? 1 : a.id > b.id ? -1 : 0);

export interface TradePage {
  trades: EvmTrade[];
  nextBeforeTs: number | null;
  nextBeforeId: string | null;
}

/**
 * One page after a compound cursor (rows C-EVM of docs/contract.md). With both parts, the page starts right after
 * that trade, so ties within one second are never skipped; with `beforeTs` alone, at strictly older timestamps.
 */
export function tradePage(
  trades: readonly EvmTrade[],
  query: { limit: number; beforeTs?: number; beforeId?: string },
): TradePage {
  const { beforeTs, beforeId } = query;
  const rest = trades.filter((trade) => {
    if (beforeTs === undefined) return true;
    if (beforeId === undefined) return trade.timestamp < beforeTs;
    return newestFirst(trade, { timestamp: beforeTs, id: beforeId }) > 0;
  });
  const page = rest.slice(0, query.limit);
  const last = page.at(-1);
  const more = rest.length > page.length && last !== undefined;
  return { trades: page, nextBeforeTs: more ? last.timestamp : null, nextBeforeId: more ? last.id : null };
}
