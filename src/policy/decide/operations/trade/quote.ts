/** The quote a swap stands on, as this home stored it, and the fee the service's answer states. */
import { WSOL_MINT } from '../../../../transaction/programs.ts';
import type { Address } from '../../../../transaction/types.ts';
import { type Checklist, shown } from '../../checklist.ts';
import { assetOf, type DecisionContext, saidAmount } from '../../decisionContext.ts';
import type { StoredQuote } from '../../types.ts';
import type { CheckId } from '../../words/names.ts';
import { amountOf, textOf } from '../request.ts';

/** Native SOL, as the fee mint of an answer may call it. */
const SOL_NAMES: readonly string[] = [WSOL_MINT, 'SOL', '11111111111111111111111111111111'];

export interface Quote {
  readonly inputMint: Address;
  readonly outputMint: Address;
  readonly inAmount: bigint;
  readonly outAmount: bigint;
  readonly minOut: bigint;
}

/** Records whether an amount is what it should be. */
export function expectAmount(
  c: DecisionContext,
  list: Checklist,
  id: CheckId,
  held: boolean,
  [observed, allowed, mint]: readonly [observed: bigint, allowed: bigint, mint: Address],
): void {
  const said = (units: bigint) => saidAmount(c, units, assetOf(mint));
  list.expect(held, 'REQUEST_MISMATCH', id, { observed: said(observed), allowed: said(allowed) });
}

/** Returns the fields of a stored quote; empty or 0 where a field cannot be read. */
export const quoteOf = ({ quote }: StoredQuote): Quote => ({
  inputMint: textOf(quote, 'inputMint') ?? '',
  outputMint: textOf(quote, 'outputMint') ?? '',
  inAmount: amountOf(quote, 'inAmount'),
  outAmount: amountOf(quote, 'outAmount'),
  minOut: amountOf(quote, 'minOutAmount'),
});

/** The quote this home stored under the request's id, when it is one for this wallet and still good. */
export function storedQuote(c: DecisionContext, list: Checklist): Quote | undefined {
  const { quote: stored, plan, time } = c.inputs;
  const known = stored !== undefined && stored.quote.requestId === plan.request.requestId;
  if (!list.expect(known, 'REQUEST_MISMATCH', 'quoteFetched') || stored === undefined) return undefined;
  const { request } = stored;
  const read = quoteOf(stored);
  const { inputMint, outputMint } = read;
  const same =
    request.inputMint === inputMint && request.outputMint === outputMint && inputMint !== outputMint;
  list.expect(same, 'REQUEST_MISMATCH', 'quoteMints', { observed: shown(outputMint) });
  const asked = amountOf(request, 'amount');
  const isAsked = read.inAmount <= asked && read.inAmount > 0n;
  expectAmount(c, list, 'quoteAmount', isAsked, [read.inAmount, asked, inputMint]);
  const taker = textOf(request, 'taker') ?? plan.wallet;
  list.expect(
    taker === plan.wallet && plan.request.userPublicKey === plan.wallet,
    'REQUEST_MISMATCH',
    'quoteWallet',
    { observed: shown(taker), allowed: plan.wallet },
  );
  const least = leastByslippage(request, read.outAmount, stored.quote.feeSide === 'output');
  const keeps = read.minOut >= least && read.minOut > 0n;
  expectAmount(c, list, 'quoteSlippage', keeps, [read.minOut, least, outputMint]);
  list.expect(time < stored.expiresAt, 'LIFETIME_MISMATCH', 'quoteFresh', { class: 'availability' });
  return read;
}

/** Output that remains for each part of a 1% fee taken from it: 99 parts. */
const FEE_OF_REST = 99n;

/**
 * The lowest output a manual slippage allows; an automatic one is the service's to choose, and rules bound it. A fee that is
 * taken from what arrives is a fixed amount: the price slips for all that is sold, and the fee comes off it whole.
 */
function leastByslippage(
  request: Readonly<Record<string, unknown>>,
  outAmount: bigint,
  isFeeInOutput: boolean,
): bigint {
  const { slippageMode, slippageBps } = request;
  if (slippageMode !== 'manual' || typeof slippageBps !== 'number') return 0n;
  const fee = isFeeInOutput ? outAmount / FEE_OF_REST + 1n : 0n;
  return ((outAmount + fee) * BigInt(10_000 - slippageBps)) / 10_000n - fee;
}

export interface StatedFee {
  readonly mint: Address;
  readonly side: 'input' | 'output';
  readonly amount: bigint;
}

/** What the answer says the service takes: from which side, in which mint, how much (B42). */
export function statedFee(c: DecisionContext, quote: Quote, list: Checklist): StatedFee | undefined {
  const { answer } = c.inputs.plan;
  const said = textOf(answer, 'feeMint') ?? '';
  const mint = SOL_NAMES.includes(said) ? WSOL_MINT : said;
  const side = answer.feeSide === 'input' || answer.feeSide === 'output' ? answer.feeSide : undefined;
  const sideMint = side === 'output' ? quote.outputMint : quote.inputMint;
  const known = list.expect(side !== undefined && mint === sideMint, 'REQUEST_MISMATCH', 'feeSide', {
    observed: shown(mint),
  });
  if (!known || side === undefined) return undefined;
  return { mint, side, amount: amountOf(answer, 'feeLamports') };
}

/** The service fee of the stored quote, base units of one side; `undefined` where the quote names none. */
export function quotedFee({ inputs }: DecisionContext): Pick<StatedFee, 'side' | 'amount'> | undefined {
  const { feeSide, feeLamports } = inputs.quote?.quote ?? {};
  if (feeLamports === undefined || feeLamports === null) return undefined;
  return {
    side: feeSide === 'output' ? 'output' : 'input',
    amount: amountOf({ feeLamports }, 'feeLamports'),
  };
}
