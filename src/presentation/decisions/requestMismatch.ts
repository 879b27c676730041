/** The shape of a reason code's texts, and the texts of a transaction that differs from its request. */
import type { Check } from '../../policy/decide/types.ts';
import { type CheckId, checkName, partName } from '../../policy/decide/words/names.ts';

/** Input of a reason's sentence. */
export interface ReasonFacts {
  readonly operation: string;
  /** The deciding check; absent if the ledger or a person refused what the checks allowed. */
  readonly check?: Check | undefined;
  readonly ruleId?: string | undefined;
  /** Failed checks that require an approval. */
  readonly asks: readonly Check[];
}

/** A failed check: a sentence without its final full stop, and a remedy where the one of the reason code does not fit. */
export interface Fault {
  readonly sentence: string;
  /** Label of the exceeded bound; `allowed` by default. */
  readonly bound?: string;
  /** Replaces the remedy of the code; empty if there is none. */
  readonly remedy?: string;
}

/** Parts of a request that no check is named after. */
type RequestPart = 'askedPayment' | 'claimersInPlaces' | 'ownControl' | 'rentReceiver' | 'rewardedTip';

/** The texts of a reason code. */
export interface Reason {
  /** General description; also the sentence of a decision, with the compared values, unless `sentence` is given. */
  readonly cause: string;
  readonly sentence?: (facts: ReasonFacts) => string;
  /** What a person can change; absent for a hard denial. */
  readonly remedy?: string | ((facts: ReasonFacts) => string | undefined);
  /** The next step of the agent. */
  readonly next: string;
  /**
   * By check, or by the part of a request that differs: a sentence in place of `cause` and `sentence`. A check's name states
   * the condition, so it cannot be shown for a failure.
   */
  readonly checks?: Readonly<Partial<Record<CheckId | RequestPart, Fault | string>>>;
}

/** Returns an operation's name in words. */
export const words = (operation: string) => operation.replaceAll('_', ' ');

/** Returns the compared values in brackets; empty if the check recorded none. */
export function compared({ check }: ReasonFacts, bound = 'allowed'): string {
  const right = check?.allowed === undefined ? [] : [`${bound}: ${check.allowed}`];
  const seen = [...(check?.observed === undefined ? [] : [check.observed]), ...right];
  return seen.length === 0 ? '' : ` (${seen.join('; ')})`;
}

export const AT_LEAST = 'at least';

/** Returns the name of the request part that a check compared. */
const partOf = (check: Check): string =>
  check.params?.part === undefined ? checkName(check) : partName(`${check.params.part}`);

export const REQUEST_MISMATCH: Reason = {
  cause:
    'The transaction does not match the request: mint, split, amount, admin, fee or recipient differ; or the quote is not one this home fetched.',
  sentence: (facts) => {
    const { check, operation } = facts;
    if (check === undefined) return 'The transaction does not match the request.';
    return check.id === 'partThere'
      ? `The plan lacks a part of the ${words(operation)}: ${partOf(check)} (found ${check.observed}; needed ${check.allowed}).`
      : `The transaction does not match the request: ${partOf(check)}${compared(facts)}.`;
  },
  next: 'Check your request. If it was right, stop: the answer does not match it.',
  checks: {
    tableUsed: 'No later stage of the plan uses the lookup table',
    planNetwork: 'The plan was made for another network than the one in use',
    requestAddresses: 'The request contains an invalid address',
    stageBelongs: 'The plan contains a stage that the request does not need',
    recipientIsWallet: {
      sentence: 'The recipient is not another wallet, so the payment might be lost',
      remedy: 'Check the address: name the wallet that is to be paid.',
    },
    quoteFetched: {
      sentence: 'The swap uses a quote that this home did not fetch',
      remedy: 'Ask for a quote, then for the swap.',
    },
    quoteWallet: 'The quote is for another wallet',
    quoteMints: 'The quote is for other tokens than were asked for',
    quoteAmount: 'The quote is for another amount than was asked for',
    quoteSlippage: {
      sentence: 'The quote lets less arrive than the slippage that was asked for',
      bound: AT_LEAST,
    },
    quoteOnce: {
      sentence: 'Another swap has traded this quote, and a quote is good for one swap',
      remedy: 'Ask for a new quote, then for the swap.',
    },
    feeSide: 'The service charges its fee in a token that is neither sold nor bought',
    quotedInput: 'More would leave than was quoted',
    statedFee: 'The fee in the transaction is not the fee the service states',
    quotedMinimum: { sentence: 'The guaranteed output is below the quoted minimum', bound: AT_LEAST },
    tableEntriesOnce: 'The lookup table would name an address twice, which costs rent',
    claimersWritten: {
      sentence: 'The plan writes other claimers or shares than were asked for',
      bound: 'asked for',
    },
    claimersEnded: 'The plan does not end the list of claimers once',
    managesConfig: {
      sentence: 'The wallet does not manage the config, so it cannot change who earns',
      bound: 'needed',
    },
    configOfToken: { sentence: 'The fee share config is not the finished one of the token', bound: 'of' },
    curveClaimer: 'Another key than the fee share of the token would earn from the curve',
    curveOnChain: 'The terms of the curve are not on the chain yet',
    curveQuote: 'The curve trades in another quote than was asked for',
    noMoreTokens: 'A key could make more of the token later',
    liquidityLocked: {
      sentence: 'Liquidity of the launch would stay unlocked, so it could be taken out again',
      bound: 'must be locked',
    },
    feeShareHalf: {
      sentence: 'The fee share of the token would get less than half of the liquidity',
      bound: 'fee share',
    },
    supplyMinted: 'Part of the supply is minted to an account that does not fill the pool',
    supplyPooled: { sentence: 'Part of the supply would stay outside the pool', bound: AT_LEAST },
    noStrangerFreezes: 'Another key could freeze the launched token',
    noStrangerMints: 'The simulation shows that another key could mint more of the launched token',
    askedTransferFee: 'The transfer fee of a token is above the limits that were asked for',
    claimersInPlaces: {
      sentence: 'The transaction places other claimers or shares than were asked for',
      bound: 'asked for',
    },
    askedPayment: 'The request contains no readable payment',
    rewardedTip: 'A tip would be paid without the service it is for',
  },
};
