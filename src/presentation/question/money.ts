/** Amounts and prices as an owner reads them. Numbers are exact; only a price is cut to six digits. */
import { decimal, percent } from '../../base/words.ts';
import type { StoredQuote } from '../../policy/decide/types.ts';
import type { Address } from '../../transaction/types.ts';
import { impactBps, MUCH_IMPACT_BPS } from '../priceImpact.ts';
import { amountParts } from '../statement/amounts.ts';
import type { TokenKnown } from './evidence.ts';
import { type Line, type Marked, plain, type ShownAmount, warn } from './facts.ts';

type Tokens = ReadonlyMap<Address, TokenKnown>;

/** An amount, with the token's symbol where it is known. */
export function shownAmount(units: bigint, asset: string, tokens: Tokens, mark: Marked = {}): ShownAmount {
  const { number, unit } = amountParts(units, asset, tokens);
  return { asset, units: `${units}`, number, unit, words: `${number} ${unit}`, ...mark };
}

const PRICE_DECIMALS = 18;
const PRICE_DIGITS = 6;

/** What one whole unit of `got` costs in `paid`, cut to six digits; absent where decimals are not known. */
export function price(
  paid: { readonly units: bigint; readonly decimals: number | undefined },
  got: { readonly units: bigint; readonly decimals: number | undefined },
): string | undefined {
  if (paid.decimals === undefined || got.decimals === undefined || got.units === 0n) return undefined;
  const scaled =
    (paid.units * 10n ** BigInt(PRICE_DECIMALS + got.decimals)) / (got.units * 10n ** BigInt(paid.decimals));
  const cut = 10n ** BigInt(Math.max(0, `${scaled}`.length - PRICE_DIGITS));
  return scaled === 0n ? undefined : decimal((scaled / cut) * cut, PRICE_DECIMALS);
}

/** The price impact and the slippage of the stored quote, which the bytes do not say. */
export function impactLine(quote: StoredQuote | undefined): Line[] {
  const { priceImpactPct, slippageBps } = quote?.quote ?? {};
  const bps = impactBps(priceImpactPct);
  if (bps === undefined) return [];
  const isStated = typeof slippageBps === 'number' && Number.isSafeInteger(slippageBps) && slippageBps >= 0;
  const slippage = isStated ? `, slippage at most ${percent(slippageBps)}` : '';
  const text = `Price impact ${percent(bps)}${slippage}, by the service's quote.`;
  return [bps >= MUCH_IMPACT_BPS ? warn(text) : plain(text)];
}
