/**
 * What is wrong where a check did not hold, and what to do about it, by the id of the check or of the part of the request. A name says what should
 * be true, so a sentence that showed it would say the opposite of what was found.
 */

/** A sentence without its last dot, and what a person can do where the code alone does not say it. */
export interface Fault {
  readonly says: string;
  /** What stands before the bound that was not kept; `allowed` unless said otherwise. */
  readonly bound?: string;
  /** Instead of the remedy of the code; empty where none helps. */
  readonly remedy?: string;
}

const AT_LEAST = 'at least';
const FILE = 'in the policy file';

/** What is wrong where a check did not hold, alone where nothing is to be added; none where the sentence of its code says it. */
export const FAULTS: Readonly<Partial<Record<string, Fault | string>>> = {
  // Rules, and what they let.
  walletListed: {
    says: 'The policy names no such wallet, so no rule of it is about this',
    remedy: `A person can add the wallet to "wallets" ${FILE}.`,
  },
  tokenListed: {
    says: 'The policy lists the tokens it is about, and this token is not among them',
    remedy: `A person can add the token to tokens.mints ${FILE}.`,
  },
  boughtTokenFee: {
    says: 'Transfers of the token cost half of it or more, now or from a later epoch on',
    remedy: '',
  },
  withinHours: {
    says: 'It is outside the hours in which a rule of the policy allows this',
    remedy: `Ask again within those hours; a person can change the hours of the rule ${FILE}.`,
  },
  policyNetwork: 'The policy is for another network than the one in use',
  acceptedCode: {
    says: 'A program that cannot be read is not the code that was accepted',
    remedy: `A person who has looked at the new code can change its deployedSlot ${FILE}.`,
  },
  unsupportedNamed: {
    says: 'The transaction holds an unsupported instruction and that the policy does not name',
    remedy: `A person who knows what it does can name it in "instructions" of the program ${FILE}.`,
  },
  unsupportedCount: {
    says: 'The transaction holds more unsupported instructions of a program than the policy allows',
    remedy: `A person can change atMost of the program ${FILE}.`,
  },
  quoteShare: { says: 'Less of the quoted amount is sure to arrive than the rule asks for', bound: AT_LEAST },
  ruleServiceFee: 'The service fee is above what the rule allows',
  lowestRate: { says: 'The rate is below the lowest the rule allows', bound: AT_LEAST },
  firstBuyShare: {
    says: 'The first buy brings less of the supply than the rule asks for what it pays',
    bound: AT_LEAST,
  },
  everyAssetLimited: 'Something would leave the wallet for which the policy has no limit',

  tableUsed: 'No later stage of the plan uses the lookup table',

  // Bytes against what the service declares of them.
  declaredFormat: 'The transaction is not in the format the service declares',
  allowedFormat: {
    says: 'The transaction is in a format the policy does not allow',
    remedy: `A person can add the format to transaction.formats ${FILE}.`,
  },
  declaredSigners: 'The signers are not the ones the service declares',
  signersNeeded: 'A key would sign that no instruction uses',
  otherSignatures: {
    says: 'Another key has to sign before the wallet, and its signature is missing',
    remedy: 'The key named must sign the bytes elsewhere first.',
  },
  walletCanSign: {
    says: 'This home has no key of the wallet, so it cannot sign',
    remedy: 'Sign the bytes elsewhere, or use the home that holds the key of the wallet.',
  },
  declaredHeight: 'The height the service declares is not a number',
  accountsKnown: 'The transaction names a place in a lookup table at which the table holds no address',
  stagesReadable: {
    says: 'Another stage of the plan names accounts of a lookup table that are not known yet',
    remedy: 'Review the plan again once the stages before it have landed.',
  },

  // What was asked for.
  planNetwork: 'The plan was made for another network than the one in use',
  requestAddresses: 'The request names an address that is none',
  stageBelongs: 'The plan holds a stage that is no part of what was asked for',
  recipientIsWallet: {
    says: 'What is sent there might never be used: the recipient is not another wallet',
    remedy: 'Check the address: name the wallet that is to be paid.',
  },
  quoteFetched: {
    says: 'The swap stands on a quote that this home did not fetch',
    remedy: 'Ask for a quote, then for the swap.',
  },
  quoteWallet: 'The quote is for another wallet',
  quoteMints: 'The quote is for other tokens than were asked for',
  quoteAmount: 'The quote is for another amount than was asked for',
  quoteSlippage: { says: 'The quote lets less arrive than the slippage that was asked for', bound: AT_LEAST },
  quoteOnce: {
    says: 'Another swap has traded this quote, and a quote is good for one swap',
    remedy: 'Ask for a new quote, then for the swap.',
  },
  feeSide: 'The service takes its fee in a token that is neither sold nor bought',
  quotedInput: 'More would leave than was quoted',
  statedFee: 'The fee the bytes take is not the fee the service states',
  quotedMinimum: { says: 'Less is sure to arrive than was quoted', bound: AT_LEAST },
  tableEntriesOnce: 'The lookup table would name an address twice, which costs rent',
  claimersWritten: {
    says: 'The plan writes other claimers or shares than were asked for',
    bound: 'asked for',
  },
  claimersEnded: 'The plan does not end the list of claimers once',
  managesConfig: {
    says: 'The wallet does not manage the config, so it cannot change who earns',
    bound: 'needed',
  },
  configOfToken: { says: 'The fee share config is not the finished one of the token', bound: 'of' },
  curveClaimer: 'Another key than the fee share of the token would earn from the curve',
  curveOnChain: 'The terms of the curve are not on the chain yet',
  curveQuote: 'The curve trades in another quote than was asked for',
  noMoreTokens: 'A key could make more of the token later',
  liquidityLocked: {
    says: 'Liquidity of the launch would stay unlocked, so it could be taken out again',
    bound: 'must be locked',
  },
  feeShareHalf: {
    says: 'The fee share of the token would get less than half of the liquidity',
    bound: 'fee share',
  },
  supplyMinted: 'Part of the supply is minted to an account that does not fill the pool',
  supplyPooled: { says: 'Part of the supply would stay outside the pool', bound: AT_LEAST },
  noStrangerFreezes: 'Another key could freeze the launched token',
  noStrangerMints: 'The simulation shows that another key could mint more of the launched token',
  askedTransferFee: 'The transfer fee of a token is above the limits that were asked for',
  claimersInPlaces: {
    says: 'The bytes put other claimers or shares in a place than were asked for',
    bound: 'asked for',
  },
  askedPayment: 'The request names no payment that can be read',
  rewardedTip: 'A tip would be paid without what it is for',

  // What the wallet would lose or not get.
  ownControl: 'Another key could take what arrives',
  rentReceiver: 'The rent would come back to another account',
  leavesByBytes: 'The simulation shows that more would leave the wallet than the bytes say',
  leavesAsAsked: 'The simulation shows that more would leave the wallet than was asked for',
  promisedArrives: { says: 'The simulation shows that less would arrive than was promised', bound: AT_LEAST },
  claimPays: 'The simulation shows that the wallet would get nothing from the claim',
  accountsWatched: 'The simulation did not show every account that the transaction may change',
  secondBalances: 'The two RPCs show different balances of the wallet',
  secondRpc: 'An amount this large needs a second RPC that sees the same',

  // Powers of others over a token.
  tokenVisible: {
    says: 'Our RPC does not show the token, so the powers of other keys over it are not known',
    remedy: 'Check that the address of the token is right; ask again once our RPC shows it.',
  },
  launchedTokenPowers: { says: 'The launched token would give another key a power over it', remedy: '' },
};
