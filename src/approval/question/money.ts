/**
 * What leaves and what arrives: bounds of the approval, what they are made of, the price they amount to, and what the
 * service's quote says of it. Numbers are exact; only a price is cut to six digits.
 */
import { decimal, percent, SOL_DECIMALS } from '../../base/words.ts';
import type { Expectation } from '../../policy/decide/operations/expectation.ts';
import type { StoredQuote } from '../../policy/decide/types.ts';
import { highestTransferFee } from '../../programs/token2022/extensions.ts';
import { WSOL_MINT } from '../../transaction/programs.ts';
import type { Address } from '../../transaction/types.ts';
import type { EnvelopeAsset } from '../types.ts';
import { amountParts } from '../words.ts';
import { cleanMemo, type TokenKnown } from './evidence.ts';
import { type Line, type Marked, plain, type QuestionFact, type ShownAmount, warn } from './facts.ts';
import type { OpenedFacts } from './opened.ts';
import type { People } from './people.ts';

type Tokens = ReadonlyMap<Address, TokenKnown>;

/** An amount, with the token's symbol where it is known. */
export function shownAmount(units: bigint, asset: string, tokens: Tokens, mark: Marked = {}): ShownAmount {
  const { number, unit } = amountParts(units, asset, tokens);
  return { asset, units: `${units}`, number, unit, words: `${number} ${unit}`, ...mark };
}

const sol = (lamports: string | bigint): string => `${decimal(BigInt(lamports), SOL_DECIMALS)} SOL`;

export interface Money {
  readonly assets: readonly EnvelopeAsset[];
  readonly expectation?: Expectation | undefined;
  readonly opened: OpenedFacts;
  /** Network fees of the shown build, lamports. */
  readonly fee: bigint;
  readonly quote?: StoredQuote | undefined;
  readonly tokens: Tokens;
  readonly people: People;
  readonly mark: Marked;
}

/** Who a payment goes to and exactly how much of what, what a transfer fee leaves of it, and the words beside it. */
export function paymentLines(expectation: Expectation | undefined, tokens: Tokens, people: People): Line[] {
  const { recipient, memo, mostOut: [paid] = [] } = expectation ?? {};
  if (recipient === undefined || paid === undefined) return [];
  const units = BigInt(paid.amount);
  const { transferFee } = tokens.get(paid.asset) ?? {};
  const fee = transferFee === undefined ? 0n : highestTransferFee(transferFee, units);
  const words = (amount: bigint) => shownAmount(amount, paid.asset, tokens).words;
  return [
    (people.isKnown(recipient) ? plain : warn)(`Pays exactly ${words(units)} to ${people.words(recipient)}.`),
    ...(fee === 0n
      ? []
      : [
          warn(
            `At least ${words(units - fee)} of it arrives: the token keeps a fee of each transfer, here at most ${words(fee)}.`,
          ),
        ]),
    ...(memo === undefined ? [] : [plain(`With the words “${cleanMemo(memo)}”, which anyone can read.`)]),
  ];
}

/** The two sides. */
export function moneyFacts(money: Money): QuestionFact[] {
  const { assets, tokens, mark } = money;
  const side = (which: 'mostOut' | 'leastIn') =>
    assets.flatMap((bound) => {
      const units = BigInt(bound[which]);
      return units === 0n ? [] : [shownAmount(units, bound.asset, tokens, mark)];
    });
  return [
    { kind: 'leaves', amounts: side('mostOut'), ...mark },
    { kind: 'arrives', amounts: side('leastIn'), ...mark },
    { kind: 'price', lines: [...priceLines(money), ...tradeFeeLines(money)] },
    { kind: 'costs', lines: costLines(money) },
  ];
}

const tradeFeeLines = ({ opened: { tradeFee } }: Money): Line[] =>
  tradeFee === undefined ? [] : [plain(`A trade costs ${tradeFee} at first.`)];

/** What comes back of the deposits, by operation. */
const DEPOSITS: Readonly<Partial<Record<Expectation['operation'], string>>> = {
  swap: 'back when you close the token accounts',
  position_claim: 'back when you close the token accounts',
  holding_claim: 'back when you close the token accounts',
  claim_all: 'back when you close the token accounts',
  vault_claim: 'back when you close the token accounts',
  config: "the address table's part comes back",
  manager_update: "the address table's part comes back",
  launch: "your token accounts' part comes back",
  send: "for the recipient's account, and theirs from then on",
};

/** What an amount is spent on, by operation. */
const SPENT: Readonly<Partial<Record<Expectation['operation'], string>>> = {
  launch: 'First buy',
  swap: 'Sold',
  send: 'Paid',
};

function costLines({ expectation, opened, fee, tokens, people }: Money): Line[] {
  const paid = opened.payments.map(({ address, isRefund, paid: of }) => {
    const amount = of && `${shownAmount(BigInt(of.amount), of.asset, tokens).words}, as built,`;
    if (isRefund) return plain(`Refund of the network fee, ${amount} to ${people.words(address)}.`);
    const fee = amount === undefined ? '' : ` of ${amount}`;
    return (people.isKnown(address) ? plain : warn)(`A fee${fee} to ${people.words(address)}.`);
  });
  if (expectation === undefined) return [...paid, plain(`Network fee ${sol(fee)}.`)];
  const { operation, mostOut, tip, mostDeposits, surcharges = '0', mostFees } = expectation;
  const spent = mostOut.flatMap(({ asset, amount }) => {
    const units = BigInt(amount) - (asset === 'SOL' ? BigInt(tip?.lamports ?? '0') : 0n);
    return units === 0n ? [] : [shownAmount(units, asset, tokens).words];
  });
  const what = SPENT[operation] ?? 'Spent';
  return [
    ...spent.map((words) => plain(`${what} ${words}.`)),
    ...paid,
    ...(tip === undefined ? [] : [plain(`Tip ${sol(tip.lamports)} to ${people.words(tip.wallet)}.`)]),
    ...(surcharges === '0' ? [] : [plain(`Name and pool, for good: at most ${sol(surcharges)}.`)]),
    ...(mostDeposits === '0'
      ? []
      : [
          plain(
            `Deposits at most ${sol(mostDeposits)}; ${DEPOSITS[operation] ?? 'they stay in the accounts'}.`,
          ),
        ]),
    ...(mostFees === '0'
      ? [plain('None: another key pays the network fee.')]
      : [plain(`Network fees at most ${sol(mostFees)}; ${sol(fee)} as built.`)]),
  ];
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

/** The price at the bounds, and what the quote says. */
function priceLines({ expectation, opened, quote, tokens }: Money): Line[] {
  if (expectation === undefined) return [];
  const decimals = (asset: string) => (asset === 'SOL' ? SOL_DECIMALS : tokens.get(asset)?.decimals);
  const { operation, mostOut, leastIn, quoteMint = WSOL_MINT, tip } = expectation;
  const unit = (asset: string) => amountParts(1n, asset, tokens).unit;
  if (operation === 'launch' && opened.firstBuy !== undefined) {
    const asset = quoteMint === WSOL_MINT ? 'SOL' : quoteMint;
    const out = BigInt(mostOut.find((each) => each.asset === asset)?.amount ?? '0');
    const paid = out - (asset === 'SOL' ? BigInt(tip?.lamports ?? '0') : 0n);
    const { output, least } = opened.firstBuy;
    const one = price(
      { units: paid, decimals: decimals(asset) },
      { units: least, decimals: decimals(output) },
    );
    return [
      ...(least === 0n ? [warn('The first buy has no least amount: it may bring almost nothing.')] : []),
      ...(one === undefined ? [] : [plain(`1 token: at most ${one} ${unit(asset)}.`)]),
    ];
  }
  const [out, into] = [mostOut[0], leastIn[0]];
  if (operation !== 'swap' || out === undefined || into === undefined) return [];
  // The price is told in SOL, or in what is paid.
  const [paid, got] = into.asset === 'SOL' ? [into, out] : [out, into];
  const one = price(
    { units: BigInt(paid.amount), decimals: decimals(paid.asset) },
    { units: BigInt(got.amount), decimals: decimals(got.asset) },
  );
  return [
    ...(one === undefined
      ? []
      : [plain(`1 token: ${into.asset === 'SOL' ? 'at least' : 'at most'} ${one} ${unit(paid.asset)}.`)]),
    ...impactLine(quote),
  ];
}

/** Basis points of an impact from which it is a warning. */
const MUCH_IMPACT = 300;

/**
 * The price impact and the slippage of the stored quote. It is the service's word: bytes do not say it. Its unit is not
 * published (C-TRADE-08), so up to 1 it is read as a fraction: of the two readings the one that warns sooner.
 */
export function impactLine(quote: StoredQuote | undefined): Line[] {
  const { priceImpactPct, slippageBps } = quote?.quote ?? {};
  const impact =
    typeof priceImpactPct === 'number' || typeof priceImpactPct === 'string'
      ? Number(priceImpactPct)
      : Number.NaN;
  if (!Number.isFinite(impact) || typeof priceImpactPct === 'boolean' || `${priceImpactPct}`.trim() === '')
    return [];
  const bps = Math.ceil(Math.abs(impact) * (Math.abs(impact) <= 1 ? 10_000 : 100));
  const slippage =
    typeof slippageBps === 'number' && Number.isSafeInteger(slippageBps) && slippageBps >= 0
      ? `, slippage at most ${percent(slippageBps)}`
      : '';
  const text = `Price impact ${percent(bps)}${slippage}, by the service's quote.`;
  return [bps >= MUCH_IMPACT ? warn(text) : plain(text)];
}
