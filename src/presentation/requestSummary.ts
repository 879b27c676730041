/**
 * Describes a plan's request in one line: our own words, amounts with decimals, whole addresses. Derived from the
 * request as sent and the stored quote, never from the service's answer.
 */
import { percent, several } from '../base/format.ts';
import { claimsIn } from '../plan/claimAll.ts';
import { paymentsIn } from '../plan/ownPlans.ts';
import type { Plan } from '../plan/types.ts';
import type { StoredQuote } from '../policy/decide/types.ts';
import { isAddress } from '../transaction/base58.ts';
import { WSOL_MINT } from '../transaction/programs.ts';
import type { Address } from '../transaction/types.ts';
import { shownAmount, type TokenFacts } from './tokens.ts';

type Fields = Readonly<Record<string, unknown>>;

/** A plan's request, prepared for one line of text. */
export interface RequestSummary {
  /** The token of the request. */
  readonly tokenMint?: Address;
  /** Requested outgoing base units by asset: amounts sold, paid, or spent on a first buy. */
  readonly out?: readonly (readonly [asset: string, units: bigint])[];
  /** Returns the line once decimals are known. `named` formats a mint; whole addresses by default. */
  words(facts: ReadonlyMap<Address, TokenFacts>, named?: (mint: Address) => string): string;
}

const address = (value: unknown): Address | undefined =>
  typeof value === 'string' && isAddress(value) ? value : undefined;

const units = (value: unknown): bigint =>
  (typeof value === 'string' && /^\d+$/.test(value)) || Number.isSafeInteger(value)
    ? BigInt(String(value))
    : 0n;

const asset = (mint: Address | undefined): string =>
  mint === undefined || mint === WSOL_MINT ? 'SOL' : mint;

/** Formats amount and asset: `0.1 SOL`, `12.5 of MINT`, or base units if decimals are unknown. */
export function wholeWords(
  of: string,
  amount: bigint,
  facts: ReadonlyMap<Address, TokenFacts>,
  signed?: 'signed',
): string {
  const shown = shownAmount(of, amount, facts, signed);
  const number = shown.amount ?? `${shown.raw} base units`;
  return shown.asset === 'SOL' ? `${number} SOL` : `${number} of ${shown.asset}`;
}

/** Parses a plan's request. */
export function summarizeRequest(
  plan: Pick<Plan, 'operation' | 'request'>,
  quote: StoredQuote | undefined,
): RequestSummary {
  const { fields } = plan.request;
  const tokenMint = address(fields.tokenMint) ?? address(fields.baseMint);
  const about = tokenMint === undefined ? {} : { tokenMint };
  switch (plan.operation) {
    case 'swap':
      return summarizeSwap(quote?.request ?? {});
    case 'config':
      return { ...about, words: () => `split of the fees of ${tokenMint} among ${claimersWords(fields)}` };
    case 'manager_update':
      return {
        ...about,
        words: () => `new split of the fees of ${tokenMint} among ${claimersWords(fields)}`,
      };
    case 'launch': {
      const spent = units(
        fields.initialBuyLamports ?? fields.initialBuyQuoteRaw ?? fields.initialBuyQuoteAmount,
      );
      const quoteAsset = asset(address(fields.quoteMint));
      if (spent === 0n) return { ...about, words: () => `launch of ${tokenMint}` };
      return {
        ...about,
        out: [[quoteAsset, spent]],
        words: (facts) =>
          `launch of ${tokenMint} with a first buy for ${wholeWords(quoteAsset, spent, facts)}`,
      };
    }
    case 'position_claim':
    case 'holding_claim': {
      const quoteMint = asset(address(fields.quoteMint));
      return {
        ...about,
        words: (_, named = String) =>
          `claim of the fees of ${named(tokenMint ?? '')}${quoteMint === 'SOL' ? '' : `, paid in ${named(quoteMint)}`}`,
      };
    }
    case 'vault_claim':
      return { words: () => `claim of the ${fields.kind === 'partner' ? 'partner' : 'deployer'} vault` };
    case 'deployer_claim':
      return { words: () => 'claim of deployer fees' };
    case 'claim_all':
      return { words: () => `claim of everything: ${several(claimsIn(fields).length, 'claim')}` };
    case 'send': {
      const payments = paymentsIn(fields).map(({ tokenMint: mint, amountRaw, to }) => ({
        ...{ sent: asset(address(mint)), amount: units(amountRaw), to: address(to) },
      }));
      const sums = new Map<string, bigint>();
      for (const { sent, amount } of payments) sums.set(sent, (sums.get(sent) ?? 0n) + amount);
      return {
        ...about,
        out: [...sums],
        words: (facts) =>
          payments
            .map(({ sent, amount, to }) => `payment of ${wholeWords(sent, amount, facts)} to ${to}`)
            .join(', '),
      };
    }
    case 'unwrap':
      return { words: () => 'unwrapping of all wrapped SOL' };
    default:
      return { ...about, words: () => plan.operation.replaceAll('_', ' ') };
  }
}

function summarizeSwap(request: Fields): RequestSummary {
  const [input, output] = [address(request.inputMint), address(request.outputMint)];
  if (input === undefined || output === undefined) return { words: () => 'swap' };
  const sold = units(request.amount);
  const { slippageBps } = request;
  const bound =
    typeof slippageBps === 'number' && Number.isSafeInteger(slippageBps)
      ? `, slippage at most ${percent(slippageBps)}`
      : '';
  return {
    tokenMint: input === WSOL_MINT ? output : input,
    out: [[asset(input), sold]],
    words: (facts) => `swap of ${wholeWords(asset(input), sold, facts)} for ${asset(output)}${bound}`,
  };
}

/** Maximum number of shares listed; longer lists are counted. */
const MAX_SHARES = 3;

function claimersWords({ claimersArray, basisPointsArray }: Fields): string {
  const count = several(Array.isArray(claimersArray) ? claimersArray.length : 0, 'wallet');
  if (!Array.isArray(basisPointsArray) || basisPointsArray.length > MAX_SHARES) return count;
  return `${count} (${basisPointsArray.map((bps) => percent(Number(units(bps)))).join(', ')})`;
}
