/** The stored quote of a swap, the fee stated in the service's answer, and the legs of a trade via wrapped SOL. */
import type { ActOf } from '../../../../programs/acts.ts';
import { WSOL_MINT } from '../../../../transaction/programs.ts';
import type { Address } from '../../../../transaction/types.ts';
import { sum } from '../../amounts.ts';
import { type Checklist, shown } from '../../checklist.ts';
import { assetOf, type DecisionContext, formatAmount } from '../../decisionContext.ts';
import type { StoredQuote } from '../../types.ts';
import type { CheckId } from '../../words/names.ts';
import { type Clause, clause } from '../clauses.ts';
import { UNWRAPPING, unwraps } from '../ownAccounts.ts';
import { amountOf, textOf } from '../request.ts';

/** Names of SOL in the fee mint field of an answer. */
const SOL_NAMES: readonly string[] = [WSOL_MINT, 'SOL', '11111111111111111111111111111111'];

export interface Quote {
  readonly inputMint: Address;
  readonly outputMint: Address;
  readonly inAmount: bigint;
  readonly outAmount: bigint;
  readonly minOut: bigint;
}

/** Records a check of an amount in base units of a mint. */
export function expectAmount(
  c: DecisionContext,
  list: Checklist,
  id: CheckId,
  held: boolean,
  [observed, allowed, mint]: readonly [observed: bigint, allowed: bigint, mint: Address],
): void {
  const format = (units: bigint) => formatAmount(c, units, assetOf(mint));
  list.expect(held, 'REQUEST_MISMATCH', id, { observed: format(observed), allowed: format(allowed) });
}

/** Parses a stored quote; missing or invalid fields become empty or 0. */
export const quoteOf = ({ quote }: StoredQuote): Quote => ({
  inputMint: textOf(quote, 'inputMint') ?? '',
  outputMint: textOf(quote, 'outputMint') ?? '',
  inAmount: amountOf(quote, 'inAmount'),
  outAmount: amountOf(quote, 'outAmount'),
  minOut: amountOf(quote, 'minOutAmount'),
});

/** Checks the stored quote against the request, the wallet and its expiry. Returns `undefined` if no quote has the request's id. */
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
  const requested = amountOf(request, 'amount');
  const isWithinRequest = read.inAmount <= requested && read.inAmount > 0n;
  expectAmount(c, list, 'quoteAmount', isWithinRequest, [read.inAmount, requested, inputMint]);
  const taker = textOf(request, 'taker') ?? plan.wallet;
  list.expect(
    taker === plan.wallet && plan.request.userPublicKey === plan.wallet,
    'REQUEST_MISMATCH',
    'quoteWallet',
    { observed: shown(taker), allowed: plan.wallet },
  );
  const least = leastBySlippage(request, read.outAmount, stored.quote.feeSide === 'output');
  const keeps = read.minOut >= least && read.minOut > 0n;
  expectAmount(c, list, 'quoteSlippage', keeps, [read.minOut, least, outputMint]);
  list.expect(time < stored.expiresAt, 'LIFETIME_MISMATCH', 'quoteFresh', { class: 'availability' });
  return read;
}

/** A 1% fee is 1/99 of the output that remains after it. */
const FEE_OF_REST = 99n;

/**
 * Returns the minimum output that a manual slippage allows, or 0 for automatic slippage, which rules bound. A fee deducted
 * from the output is a fixed amount: slippage applies to the output before the fee.
 */
function leastBySlippage(
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

/** Returns the service fee stated in the answer: side, mint and base units (B42). Records a failure if side and mint disagree. */
export function statedFee(c: DecisionContext, quote: Quote, list: Checklist): StatedFee | undefined {
  const { answer } = c.inputs.plan;
  const feeMint = textOf(answer, 'feeMint') ?? '';
  const mint = SOL_NAMES.includes(feeMint) ? WSOL_MINT : feeMint;
  const side = answer.feeSide === 'input' || answer.feeSide === 'output' ? answer.feeSide : undefined;
  const sideMint = side === 'output' ? quote.outputMint : quote.inputMint;
  const known = list.expect(side !== undefined && mint === sideMint, 'REQUEST_MISMATCH', 'feeSide', {
    observed: shown(mint),
  });
  if (!known || side === undefined) return undefined;
  return { mint, side, amount: amountOf(answer, 'feeLamports') };
}

/** Returns the service fee of the stored quote in base units of one side, or `undefined` if the quote states none. */
export function quotedFee({ inputs }: DecisionContext): Pick<StatedFee, 'side' | 'amount'> | undefined {
  const { feeSide, feeLamports } = inputs.quote?.quote ?? {};
  if (feeLamports === undefined || feeLamports === null) return undefined;
  return {
    side: feeSide === 'output' ? 'output' : 'input',
    amount: amountOf({ feeLamports }, 'feeLamports'),
  };
}

export type Pair = Pick<Quote, 'inputMint' | 'outputMint'>;

/** Returns the pair that one swap of a trade must exchange: the quoted pair, or wrapped SOL in place of one side. */
export const legOf = (quote: Quote, { input, output }: ActOf<'swap'>): Pair => {
  if (output === WSOL_MINT) return { ...quote, outputMint: WSOL_MINT };
  return input === WSOL_MINT ? { ...quote, inputMint: WSOL_MINT } : quote;
};

/**
 * Checks that the second leg of a token trade spends no wrapped SOL that the wallet already had: it uses a new account, or
 * at most the minimum output of the first leg.
 */
export function checkLegs(
  c: DecisionContext,
  { inputMint, outputMint }: Quote,
  swaps: readonly ActOf<'swap'>[],
  list: Checklist,
): void {
  if (inputMint === WSOL_MINT || outputMint === WSOL_MINT) return;
  const seconds = swaps.filter(({ input }) => input === WSOL_MINT);
  const spent = sum(seconds.map(({ maxIn }) => maxIn));
  const brought = sum(swaps.map(({ output, minOut }) => (output === WSOL_MINT ? minOut : 0n)));
  const isNew = seconds.every(({ source }) => c.accounts.get(source.account)?.exists !== true);
  const amounts = [spent, brought, WSOL_MINT] as const;
  expectAmount(c, list, 'secondLeg', isNew || spent <= brought, amounts);
}

/** Builds the clause that unwraps the SOL between two legs: the account is opened in this transaction and closed to the wallet. */
export const unwrappingOfLegs = (c: DecisionContext): Clause =>
  clause(UNWRAPPING, 'closeAccount', [0, 1], (act) => {
    const { account } = act.account;
    const opens = c.acts.some((each) => each.act === 'openAccount' && each.account === account);
    return opens && c.accounts.get(account)?.exists !== true && unwraps(c, act);
  });
