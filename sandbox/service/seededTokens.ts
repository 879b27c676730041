import type { TokenAsset } from './build/tokens.ts';
import type { ServiceContext } from './context.ts';
import type { QuoteToken } from './records/quotes.ts';
import type { ServiceKeys } from './serviceKeys.ts';
import type { Launch } from './state.ts';

export interface SeededToken {
  readonly name: string;
  readonly symbol: string;
  readonly quote: 'SOL' | 'USDC' | 'TAXQ';
  readonly flow: 'damm_v2_direct' | 'dbc';
  /** Dollars that others have paid for the token. */
  readonly raisedUsd: number;
}

/** Launched tokens of a new sandbox: one per kind of quote, and one on a bonding curve. */
export const SEEDED_TOKENS: readonly SeededToken[] = [
  { name: 'Harbor Light', symbol: 'HARBOR', quote: 'SOL', flow: 'damm_v2_direct', raisedUsd: 6_000 },
  { name: 'Paper Kite', symbol: 'KITE', quote: 'USDC', flow: 'damm_v2_direct', raisedUsd: 6_000 },
  { name: 'Tin Lantern', symbol: 'TINLAN', quote: 'TAXQ', flow: 'damm_v2_direct', raisedUsd: 6_000 },
  { name: 'First Rung', symbol: 'RUNG', quote: 'SOL', flow: 'dbc', raisedUsd: 900 },
];
/** Initial whole tokens of each in the temporary wallet. */
export const WALLET_TOKENS = 1_000_000n;
/** The pool of dollars against SOL: its fee, and its initial amounts in base units. */
export const SEEDED_PAIR = { feeBps: 25, dollars: 1_500_000_000_000n, lamports: 10_000_000_000_000n };

/** Returns the record of a seeded token before its launch. */
export function seededLaunch(service: ServiceContext, token: SeededToken): Launch {
  const { keys, state } = service;
  const now = service.now();
  return {
    tokenMint: keys.tokenMint(state.launches.size).address,
    serial: state.launches.size,
    candidates: [],
    userId: 'sandbox-creator',
    name: token.name,
    symbol: token.symbol,
    description: `${token.name}, a token every sandbox starts with.`,
    image: `https://sandbox.example/${token.symbol.toLowerCase()}.png`,
    uri: `https://sandbox.example/${token.symbol.toLowerCase()}.json`,
    telegram: null,
    twitter: null,
    website: null,
    createdAt: now,
    updatedAt: now,
    launchWallet: keys.seeded('creator').address,
  };
}

/** Returns the config request of a seeded token. */
export const seededConfig = (
  { wallet: { address }, seeded }: ServiceKeys,
  { tokenMint: baseMint }: Launch,
  { flow }: SeededToken,
  { mint: quoteMint }: TokenAsset,
) => ({
  ...{ baseMint, quoteMint, flow, payer: address, admin: address },
  claimersArray: [address, seeded('creator').address],
  basisPointsArray: [6_000, 4_000],
});

/** Returns the quote of a seeded token, and the amount raised in its base units. */
export function seededQuote(
  service: ServiceContext,
  token: SeededToken,
): { readonly quote: QuoteToken; readonly raised: bigint } {
  const quote = [...service.quotes.values()].find(({ symbol }) => symbol === token.quote);
  if (quote === undefined) throw new Error(`the sandbox has no ${token.quote}`);
  return { quote, raised: BigInt(Math.round(token.raisedUsd / quote.usd)) * 10n ** BigInt(quote.decimals) };
}
