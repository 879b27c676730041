/** Names of checks, shown to people: the condition, or the subject of an ask. Code compares ids and params instead. */
import { spaced } from '../../../base/format.ts';

/** `{…}` is replaced by a param of the check, and `{part}` by the name of an operation's part. */
export const NAMES = {
  // Policy and transaction.
  policyExists: 'a policy exists',
  notFrozen: 'not frozen',
  policyNetwork: 'policy is for this network',
  planNetwork: 'plan was made for this network',
  canonicalBytes: 'transaction is canonical',
  declaredHash: 'hash matches the declared hash',
  declaredSigners: 'signers match the declared signers',
  signaturesValid: 'every signature present is valid',
  noDurableNonce: 'no durable nonce',
  declaredBlockhash: 'blockhash matches the declared blockhash',
  declaredHeight: 'declared height is a number',
  blockhashAlive: 'blockhash is valid',
  tableReliable: 'lookup table is reliable',
  accountsKnown: 'every account is resolved',
  feeKnown: 'fee is known',
  feeWithinPolicy: 'fee is within the policy',
  computeWithinPolicy: 'compute units are within the policy',
  declaredFormat: 'format matches the declared format',
  askedFormat: 'format matches the requested format',
  allowedFormat: 'format is allowed by the policy',
  walletPaysFee: 'wallet pays the fee',
  servicePaysFee: 'service pays the fee',
  onlySigner: 'wallet is our only signer',
  signersNeeded: 'every signer is used by an instruction',
  // Instructions.
  instructionFits: 'instruction matches its layout',
  programAllowed: 'program is allowed',
  unsupportedCount: 'number of unsupported instructions is within the policy',
  allowedByEffects: 'instruction is allowed by its effects',
  unsupportedBelongs: 'unsupported instruction belongs to the operation',
  unsupportedNamed: 'unsupported instruction is named in the policy',
  instructionReadable: 'instruction is supported',
  acceptedCode: 'program is the accepted code',
  replaceable: 'program may be replaced by its authority',
  nothingGranted: 'nothing is granted to others',
  reach: 'unsupported instructions use only accounts of the operation',
  unlistedOwner: 'unsupported instructions use no account of an unlisted program that names the wallet',
  instructionBelongs: 'every instruction belongs to the operation',
  matchesRequest: 'transaction matches the request: {part}',
  partThere: 'plan contains every part: {part}',
  refundWithinPolicy: 'refund of the network fee is within the policy',
  stagesReadable: 'every stage of the plan is resolved',
  noLookalike: 'no address resembles a known one',
  // Tokens.
  tokenListed: 'token is listed in the policy',
  tokenVisible: 'mint of the token is visible',
  noDeniedPower: 'token has no denied extension',
  boughtTokenFee: 'transfer fee of the bought token is below 50%',
  askedTransferFee: 'transfer fee is within the requested limits',
  noStrangerMints: 'no other key can mint the launched token',
  noStrangerFreezes: 'no other key can freeze the launched token',
  launchedTokenPowers: 'no other key has powers over the launched token',
  // Rules, limits and order.
  walletListed: 'wallet is listed in the policy',
  noRuleDenies: 'no rule denies this',
  ruleCovers: 'a rule covers this',
  withinHours: 'time is within the hours of a rule',
  recipientAllowed: '{role} is allowed',
  othersShare: 'share of other claimers',
  quoteShare: 'output is within the rule of the quote',
  ruleServiceFee: 'service fee is within the rule',
  lowestRate: 'rate is at least the minimum of the rule',
  firstBuyShare: 'the first buy brings its share of the supply',
  everyAssetLimited: 'every asset that leaves has a limit',
  limit: 'limit {limitId}',
  otherSignatures: 'all other signatures are present',
  walletCanSign: 'wallet can sign here',
  walletUnsigned: 'wallet has not signed this transaction yet',
  stageUnsigned: 'stage is not signed yet',
  stagesLanded: 'earlier stages have landed',
  approved: 'approved by a person',
  // Simulation.
  simulation: 'simulated',
  simulationSucceeds: 'simulation succeeds',
  accountsWatched: 'simulation covers every writable account',
  leavesByBytes: 'loss is within the amounts in the transaction',
  leavesAsAsked: 'loss is within the requested amounts',
  promisedArrives: 'guaranteed amount arrives',
  claimPays: 'claim pays the wallet',
  secondRpc: 'a second RPC agrees',
  secondBalances: 'a second RPC shows the same balances',
  rehearsed: 'the whole plan succeeds when rehearsed',
  rehearsedCode: 'programs are those of the rehearsal',
  // Request.
  stageBelongs: 'stage belongs to the operation',
  requestAddresses: 'addresses in the request are valid',
  recipientIsWallet: 'the recipient is another wallet',
  quoteFetched: 'quote was fetched here',
  quoteMints: 'quote is for the requested mints',
  quoteAmount: 'quote is for the requested amount',
  quoteWallet: 'quote is for this wallet',
  quoteSlippage: 'quoted minimum is within the requested slippage',
  quoteFresh: 'quote has not expired',
  quoteOnce: 'quote is used once',
  feeSide: 'fee is in a token of the swap',
  quotedInput: 'input is within the quoted input',
  statedFee: 'service fee matches the stated fee',
  quotedFee: 'service fee is within the quoted fee',
  quotedMinimum: 'output is at least the quoted minimum',
  secondLeg: 'second leg spends only the output of the first',
  tableEntriesOnce: 'lookup table has no duplicate entries',
  tableUsed: 'lookup table is used by a later stage',
  claimersWritten: 'the plan writes exactly the requested claimers',
  claimersEnded: 'the list of claimers is finalized once',
  managesConfig: 'wallet manages the config',
  configOfToken: 'fee share config belongs to the token',
  curveOnChain: 'terms of the curve are on chain',
  curveQuote: 'quote of the curve',
  curveClaimer: 'fee claimer of the curve',
  noMoreTokens: 'no key can mint more of the token',
  liquidityLocked: 'all liquidity is permanently locked',
  feeShareHalf: 'the fee share of the token receives half of the liquidity',
  supplyMinted: 'the supply is minted to the account that funds the pool',
  supplyPooled: 'the whole supply goes into the pool',
  // Asks.
  unsupported: 'unsupported instruction',
  inferredLayout: 'inferred layout, not confirmed by the simulation',
  deployedSlot: 'slot in which {program} was deployed',
  poolLaunch: 'launch into a pool',
  unregisteredToken: 'token not registered here',
  noRehearsal: 'unsupported instruction in a plan that could not be rehearsed',
  unlimitedAsset: 'asset without a limit in the policy',
  guards: 'asset whose amounts are not enforced on chain',
  firstPurchase: 'first purchase of {mint}',
  secondPrice: 'price at most {most} below that of {pool}',
  claimCosts: 'SOL that a claim brings, compared with its costs',
  planStages: 'transactions of the plan',
  planTables: 'lookup tables of the plan',
  tableSize: 'entries of a lookup table',
  tableEntries: 'lookup table entries unrelated to the request',
  unnamedTip: 'unrequested tip to a block builder',
  unnamedServiceFee: 'service fee to an unknown payee, {payee}',
  unnamedTracking: 'tracking transfer to an unknown payee, {payee}',
  unnamedAccount: 'account for an unknown owner, {payee}',
  networkFee: 'network fee above {times} times the usual fee',
  poolCreator: 'creator of the pool',
  liquidityHolder: 'holder of liquidity and its fees',
  leftoverReceiver: 'receiver of the unsold supply of the curve',
  // Powers of an issuer.
  freezeAuthority: 'freeze authority of {mint}',
  mintAuthority: 'mint authority of {mint}',
  transferFee: 'transfer fee of {mint}',
  hookProgram: 'transfer hook program of {mint}',
  hookAuthority: 'transfer hook authority of {mint}',
  permanentDelegate: 'permanent delegate of {mint}',
  closeAuthority: 'close authority of {mint}',
  pauseAuthority: 'pause authority of {mint}',
  frozenAtFirst: 'frozen state of new accounts of {mint}',
  extension: 'extension {extension} of {mint}',
  // Terms of a curve or pool.
  askedConfiguration: 'launch configuration requested by this home',
  poolSettings: 'config of the pool',
  unknownTerm: '{part}',
  metadataFields: 'creators and other fields of the metadata of the token',
  firstSwapFee: 'first swap at the minimum fee',
  curveFee: 'fee of the curve',
  curveThreshold: 'graduation threshold of the curve',
  tokenSupply: 'supply of the token',
  feeOverTime: 'fee schedule of the curve',
  migratedFee: 'fee after migration',
  compoundedFees: 'share of fees compounded after migration',
  lockedSupply: 'initially locked supply',
  curveFeeAsset: 'asset of the curve fee',
  tokenStandard: 'token standard',
  unsoldSupply: 'unsold supply',
  soldEarly: 'supply sold for the first tenth of the threshold',
  migrationPool: 'pool after the curve',
  paidOut: 'share of the proceeds of the curve that is paid out',
  claimerUnlocked: 'liquidity that the fee claimer can withdraw',
  claimerVesting: 'liquidity that vests to the fee claimer',
  creatorUnlocked: "liquidity that the pool's creator can withdraw",
  creatorVesting: "liquidity that vests to the pool's creator",
  creatorLocked: "liquidity whose fees go to the pool's creator",
  creatorFee: "share of the curve's fees that goes to the pool's creator",
  tokenUpdater: 'update authority of the token',
  poolCost: 'pool creation fee',
  poolFee: 'fee of the pool',
  poolFeeAsset: 'asset of the pool fee',
  openingPrice: 'opening price of the whole supply',
  highestPrice: 'maximum price of the whole supply',
} as const;

export type CheckId = keyof typeof NAMES;

/** Identity of a check. */
export interface Named {
  readonly id: CheckId;
  /** Subject of the check: addresses, ids, numbers. No sentences. */
  readonly params?: Readonly<Record<string, string | number | boolean>>;
  /** Set if the check uses the simulation. */
  readonly simulated?: true;
}

const isNamed = (id: string): id is CheckId => Object.hasOwn(NAMES, id);

/** Names of parts whose ids are internal. */
const PARTS: Readonly<Record<string, string>> = { trackingTransfer: 'tracking transfer' };

/** Returns the name of an operation's part: the name of the check with its id, else the words of the id (`soldToken`: sold token). */
export const partName = (part: string): string =>
  isNamed(part) ? NAMES[part] : (PARTS[part] ?? spaced(part));

/** Returns the name of a check with its params filled in. */
export function checkName({ id, params = {}, simulated }: Named): string {
  const name = partName(id).replace(/\{(\w+)\}/g, (_, key: string) =>
    key === 'part' ? partName(`${params.part}`) : `${params[key]}`,
  );
  return simulated ? `simulated: ${name}` : name;
}

/** Formats an ask: subject, observed value and expected value. */
export const askWords = (check: Named & { readonly observed?: string; readonly allowed?: string }): string =>
  `${checkName(check)}${check.observed === undefined ? '' : `: ${check.observed}`}${check.allowed === undefined ? '' : ` (expected ${check.allowed})`}`;
