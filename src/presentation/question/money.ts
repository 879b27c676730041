/** Formats amounts and prices for owners. Amounts are exact; prices are cut to six digits. */
import { decimal, percent } from '../../base/format.ts';
import type { StoredQuote } from '../../policy/decide/types.ts';
import type { Address } from '../../transaction/types.ts';
import { impactBps, MUCH_IMPACT_BPS } from '../priceImpact.ts';
import { amountParts } from '../statement/amounts.ts';
import type { TokenKnown } from './evidence.ts';
import { type Line, type Marked, plain, type ShownAmount, warn } from './questionFacts.ts';

type Tokens = ReadonlyMap<Address, TokenKnown>;

/** Formats an amount with the token's symbol if known. */
export function shownAmount(units: bigint, asset: string, tokens: Tokens, mark: Marked = {}): ShownAmount {
  const { number, unit } = amountParts(units, asset, tokens);
  return { asset, units: `${units}`, number, unit, words: `${number} ${unit}`, ...mark };
}

const PRICE_DECIMALS = 18;
const PRICE_DIGITS = 6;
/** Numbers from a million on are cut to three digits. */
const ROUND_DIGITS = 3;
/** Units a price is stated for if a single one buys less than a thousandth. */
const ROUND = [
  ['', 1n],
  [' million', 1_000_000n],
  [' billion', 1_000_000_000n],
] as const;

interface Side {
  /** Base units. */
  readonly units: bigint;
  readonly decimals: number | undefined;
  readonly token: string;
}

/**
 * Formats a price such as `1 SOL buys at least 6.06 million HARBOR`, rounded down; absent if decimals are unknown or
 * the amount is negligible.
 */
export function price(paid: Side, got: Side): string | undefined {
  if (paid.decimals === undefined || got.decimals === undefined || paid.units === 0n) return undefined;
  const one = 10n ** BigInt(PRICE_DECIMALS);
  const rate = (got.units * one * 10n ** BigInt(paid.decimals)) / (paid.units * 10n ** BigInt(got.decimals));
  const [count, factor] = ROUND.find(([, each]) => rate * each * 1_000n >= one) ?? ROUND[2];
  const bought = rate * factor;
  if (bought === 0n) return undefined;
  const [words, unit] = ROUND.findLast(([, each]) => bought >= one * each) ?? ROUND[0];
  const digits = unit === 1n ? PRICE_DIGITS : ROUND_DIGITS;
  const cut = 10n ** BigInt(Math.max(0, `${bought}`.length - digits));
  const number = decimal(((bought / cut) * cut) / unit, PRICE_DECIMALS);
  const does = got.token === 'SOL' ? 'brings' : 'buys';
  return `1${count} ${paid.token} ${does} at least ${number}${words} ${got.token}.`;
}
/** Returns the line on price impact and slippage of the stored quote, which are not in the transaction. */
export function impactLine(quote: StoredQuote | undefined): Line[] {
  const { priceImpactPct, slippageBps } = quote?.quote ?? {};
  const bps = impactBps(priceImpactPct);
  if (bps === undefined) return [];
  const isStated = typeof slippageBps === 'number' && Number.isSafeInteger(slippageBps) && slippageBps >= 0;
  const slippage = isStated ? `, slippage at most ${percent(slippageBps)}` : '';
  const text = `Price impact ${percent(bps)}${slippage}, by the service's quote.`;
  return [bps >= MUCH_IMPACT_BPS ? warn(text) : plain(text)];
}
