/**
 * Faults by check id or request part: what is wrong when a check fails, and the remedy. A check's name states what
 * should be true, so it cannot be shown for a failure.
 */

/** A sentence without its final full stop, and a remedy where the reason code alone gives none. */
export interface Fault {
  readonly says: string;
  /** Label of the exceeded bound; `allowed` by default. */
  readonly bound?: string;
  /** Replaces the remedy of the code; empty if there is none. */
  readonly remedy?: string;
}

const AT_LEAST = 'at least';
const FILE = 'in the policy file';

/**
 * Faults of failed checks, as plain text if there is no other field. Checks without one use the sentence of their
 * reason code.
 */
export const FAULTS: Readonly<Partial<Record<string, Fault | string>>> = {
  // Rules and what they allow.
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
    says: 'The code of an unsupported program is not the accepted code',
    remedy: `A person who has looked at the new code can change its deployedSlot ${FILE}.`,
  },
  unsupportedNamed: {
    says: 'The transaction contains an unsupported instruction that the policy does not list',
    remedy: `A person who knows what it does can name it in "instructions" of the program ${FILE}.`,
  },
  unsupportedCount: {
    says: 'The transaction contains more unsupported instructions of a program than the policy allows',
    remedy: `A person can change atMost of the program ${FILE}.`,
  },
  quoteShare: {
    says: 'The guaranteed output is below the share of the quoted amount the rule requires',
    bound: AT_LEAST,
  },
  ruleServiceFee: 'The service fee is above what the rule allows',
  lowestRate: { says: 'The rate is below the lowest the rule allows', bound: AT_LEAST },
  firstBuyShare: {
    says: 'The first buy brings less of the supply than the rule asks for what it pays',
    bound: AT_LEAST,
  },
  everyAssetLimited: 'An asset without a limit in the policy would leave the wallet',

  tableUsed: 'No later stage of the plan uses the lookup table',

  // Transactions against the service's declarations.
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
  accountsKnown: 'The transaction uses a lookup table index that has no address',
  stagesReadable: {
    says: 'Another stage of the plan names accounts of a lookup table that are not known yet',
    remedy: 'Review the plan again once the stages before it have landed.',
  },

  // Transactions against the request.
  planNetwork: 'The plan was made for another network than the one in use',
  requestAddresses: 'The request contains an invalid address',
  stageBelongs: 'The plan contains a stage that the request does not need',
  recipientIsWallet: {
    says: 'The recipient is not another wallet, so the payment might be lost',
    remedy: 'Check the address: name the wallet that is to be paid.',
  },
  quoteFetched: {
    says: 'The swap uses a quote that this home did not fetch',
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
  feeSide: 'The service charges its fee in a token that is neither sold nor bought',
  quotedInput: 'More would leave than was quoted',
  statedFee: 'The fee in the transaction is not the fee the service states',
  quotedMinimum: { says: 'The guaranteed output is below the quoted minimum', bound: AT_LEAST },
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
    says: 'The transaction places other claimers or shares than were asked for',
    bound: 'asked for',
  },
  askedPayment: 'The request contains no readable payment',
  rewardedTip: 'A tip would be paid without the service it is for',

  // Losses of the wallet.
  ownControl: 'Another key could take what arrives',
  rentReceiver: 'The rent would come back to another account',
  leavesByBytes: 'The simulation shows that more would leave the wallet than the transaction states',
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
