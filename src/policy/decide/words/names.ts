/** Names of checks: what should be true, or what an ask is about. Shown to people; code compares ids and params. */
import { spaced } from '../../../base/format.ts';

/** `{…}` stands for a param of the check; `{part}` for a part of an operation, by its own name. */
export const NAMES = {
  // Policy and bytes.
  policyExists: 'there is a policy',
  notFrozen: 'not frozen',
  policyNetwork: 'policy is for this network',
  planNetwork: 'plan was made for this network',
  canonicalBytes: 'bytes are canonical',
  declaredHash: 'hash is the declared one',
  declaredSigners: 'signers are the declared ones',
  signaturesValid: 'every signature present is valid',
  noDurableNonce: 'no durable nonce',
  declaredBlockhash: 'blockhash is the declared one',
  declaredHeight: 'declared height is a number',
  blockhashAlive: 'blockhash is alive',
  tableReliable: 'lookup table can be relied on',
  accountsKnown: 'every account is known',
  feeKnown: 'fee can be told',
  feeWithinPolicy: 'fee is within the policy',
  computeWithinPolicy: 'compute units are within the policy',
  declaredFormat: 'format is the declared one',
  askedFormat: 'format is the one that was asked for',
  allowedFormat: 'format is one the policy allows',
  walletPaysFee: 'wallet pays the fee',
  servicePaysFee: 'service pays the fee',
  onlySigner: 'wallet is our only signer',
  signersNeeded: 'every signer is needed',
  // Instructions.
  instructionFits: 'instruction fits its reader',
  programAllowed: 'program is allowed',
  unsupportedCount: 'no more unsupported instructions than the policy lets',
  allowedByEffects: 'instruction is allowed by its effects',
  unsupportedBelongs: 'unsupported instruction belongs to the operation',
  unsupportedNamed: 'unsupported instruction is one the policy names',
  instructionReadable: 'instruction can be read',
  acceptedCode: 'program is the code that was accepted',
  replaceable: 'program may be replaced by its authority',
  nothingGranted: 'nothing is granted to others',
  reach: 'unsupported instructions reach only accounts of the operation',
  unlistedOwner: 'no account handed to unsupported instructions names the wallet in an unlisted program',
  instructionBelongs: 'every instruction belongs to the operation',
  matchesRequest: 'bytes match the request: {part}',
  partThere: 'plan holds every part: {part}',
  refundWithinPolicy: 'refund of the network fee is within the policy',
  stagesReadable: 'every stage of the plan can be read',
  noLookalike: 'no address only looks like a known one',
  // Tokens.
  tokenListed: 'token is one of the policy',
  tokenVisible: 'token can be looked at',
  noDeniedPower: 'token gives no other key a denied power',
  boughtTokenFee: 'transfer fee of the bought token is below one half',
  askedTransferFee: 'transfer fee is within the limits asked for',
  noStrangerMints: 'no stranger can mint more of the launched token',
  noStrangerFreezes: 'launched token can be frozen by no stranger',
  launchedTokenPowers: 'launched token gives no other key a power over it',
  // Rules, limits and order.
  walletListed: 'wallet is one of the policy',
  noRuleDenies: 'no rule denies this',
  ruleCovers: 'a rule covers this',
  withinHours: 'within the hours of a rule',
  recipientAllowed: '{role} is allowed',
  othersShare: 'share of other claimers',
  quoteShare: 'enough of the quote arrives',
  ruleServiceFee: 'service fee is within the rule',
  lowestRate: 'rate is above the lowest allowed',
  firstBuyShare: 'the first buy brings its share of the supply',
  everyAssetLimited: 'a limit names every asset that leaves',
  limit: 'limit {limitId}',
  otherSignatures: 'other signatures are there',
  walletCanSign: 'wallet can sign here',
  walletUnsigned: 'wallet has not signed these bytes yet',
  stageUnsigned: 'stage is not signed yet',
  stagesLanded: 'earlier stages have landed',
  approved: 'a person approved this',
  // Simulation.
  simulation: 'simulated',
  simulationSucceeds: 'simulation succeeds',
  accountsWatched: 'every writable account was watched',
  leavesByBytes: 'no more leaves than the bytes say',
  leavesAsAsked: 'no more leaves than was asked for',
  promisedArrives: 'what was promised arrives',
  claimPays: 'claim pays the wallet',
  secondRpc: 'a second RPC agrees',
  secondBalances: 'a second RPC shows the same balances',
  rehearsed: 'the whole plan succeeds when rehearsed',
  rehearsedCode: 'programs are those of the rehearsal',
  // What was asked for.
  stageBelongs: 'stage belongs to the operation',
  requestAddresses: 'addresses of the request are addresses',
  recipientIsWallet: 'the recipient is another wallet',
  quoteFetched: 'quote was fetched here',
  quoteMints: 'quote is for the mints that were asked',
  quoteAmount: 'quote is for the amount that was asked',
  quoteWallet: 'quote is for this wallet',
  quoteSlippage: 'quoted minimum keeps the slippage that was asked',
  quoteFresh: 'quote is still good',
  quoteOnce: 'quote is traded once',
  feeSide: 'fee is taken from a side of the swap',
  quotedInput: 'what leaves is the quoted input',
  statedFee: 'service fee is the stated one',
  quotedFee: 'service fee is within the quoted one',
  quotedMinimum: 'what arrives is at least the quoted minimum',
  secondLeg: 'second leg spends what the first brings',
  tableEntriesOnce: 'table names each address once',
  tableUsed: 'lookup table is used by a later stage',
  claimersWritten: 'the plan writes exactly the claimers that were asked for',
  claimersEnded: 'the list of claimers is ended once',
  managesConfig: 'wallet manages the config',
  configOfToken: 'fee share config is the one of the token',
  curveOnChain: 'terms of the curve are on the chain',
  curveQuote: 'quote of the curve',
  curveClaimer: 'who earns from the curve',
  noMoreTokens: 'no key can make more of the token',
  liquidityLocked: 'all liquidity is locked for good',
  feeShareHalf: 'the fee share of the token gets half of the liquidity',
  supplyMinted: 'the supply is minted to the account the pool is filled from',
  supplyPooled: 'the whole supply goes into the pool',
  // Asks.
  unsupported: 'unsupported instruction',
  inferredLayout: 'inferred layout that the simulated accounts do not confirm',
  deployedSlot: 'slot in which {program} was deployed',
  poolLaunch: 'launch into a pool',
  unregisteredToken: 'token that was not registered here',
  noRehearsal: 'unsupported instruction in a plan that could not be rehearsed',
  unlimitedAsset: 'asset that no limit of the policy names',
  guards: 'asset whose amounts the chain does not enforce',
  firstPurchase: 'first purchase of {mint}',
  secondPrice: 'price at most {most} below that of {pool}',
  claimCosts: 'SOL that a claim brings beside what it costs',
  planStages: 'transactions of the plan',
  planTables: 'lookup tables of the plan',
  tableSize: 'entries of a lookup table',
  tableEntries: 'entries of a lookup table that the request does not explain',
  unnamedTip: 'tip to a block builder that nobody asked for',
  unnamedServiceFee: 'service fee to {payee}, which nobody named',
  unnamedTracking: 'tracking transfer to {payee}, which nobody named',
  unnamedAccount: 'account for {payee}, which nobody named',
  networkFee: 'network fee above {times} times the usual',
  poolCreator: 'creator of the pool',
  liquidityHolder: 'holder of liquidity and its fees',
  leftoverReceiver: 'receiver of the unsold part of the curve',
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
  askedConfiguration: 'launch configuration that this home asked for',
  poolSettings: 'settings that the pool takes',
  unknownTerm: '{part}',
  firstSwapFee: 'first swap that pays the lowest fee',
  curveFee: 'fee of the curve',
  curveThreshold: 'threshold at which the curve is complete',
  tokenSupply: 'supply of the token',
  feeOverTime: 'fee of the curve over time',
  migratedFee: 'fee after migration',
  compoundedFees: 'part of the fees after migration that is kept as liquidity',
  lockedSupply: 'supply that is locked at first',
  curveFeeAsset: 'asset of the curve fee',
  tokenStandard: 'token standard',
  unsoldSupply: 'supply that is never sold',
  soldEarly: 'part of the sold supply that the first tenth of the threshold buys',
  migrationPool: 'pool after the curve',
  paidOut: 'part of the proceeds of the curve that is paid out',
  claimerUnlocked: 'liquidity that the fee claimer can take out',
  claimerVesting: 'liquidity that the fee claimer can take out as time passes',
  creatorUnlocked: "liquidity that the pool's creator can take out",
  creatorVesting: "liquidity that the pool's creator can take out as time passes",
  creatorLocked: "liquidity whose fees go to the pool's creator",
  creatorFee: "part of the curve's fees that goes to the pool's creator",
  tokenUpdater: 'who may change the token',
  poolCost: 'cost of opening a pool',
  poolFee: 'fee of the pool',
  poolFeeAsset: 'asset of the pool fee',
  openingPrice: 'price of the whole supply at the opening',
  highestPrice: 'price of the whole supply where the pool ends',
} as const;

export type CheckId = keyof typeof NAMES;

/** What a check is, apart from its outcome. */
export interface Named {
  readonly id: CheckId;
  /** What it is about: addresses, ids, numbers. No sentences. */
  readonly params?: Readonly<Record<string, string | number | boolean>>;
  /** It looked at a simulation. */
  readonly simulated?: true;
}

const isNamed = (id: string): id is CheckId => Object.hasOwn(NAMES, id);

/** Names of parts whose ids are internal terms. */
const PARTS: Readonly<Record<string, string>> = { trackingTransfer: 'a transfer beside the trade' };

/** The name of a part of an operation: that of the check with its id, else the words of the id (`soldToken`: sold token). */
export const partName = (part: string): string =>
  isNamed(part) ? NAMES[part] : (PARTS[part] ?? spaced(part));

/** The name of a check as people read it. */
export function checkName({ id, params = {}, simulated }: Named): string {
  const name = partName(id).replace(/\{(\w+)\}/g, (_, key: string) =>
    key === 'part' ? partName(`${params.part}`) : `${params[key]}`,
  );
  return simulated ? `simulated: ${name}` : name;
}

/** An ask as a phrase: its subject, the value found and the value expected. */
export const askWords = (check: Named & { readonly observed?: string; readonly allowed?: string }): string =>
  `${checkName(check)}${check.observed === undefined ? '' : `: ${check.observed}`}${check.allowed === undefined ? '' : ` (expected ${check.allowed})`}`;
