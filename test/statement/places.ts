/**
 * The place of each field of each act; a new field does not compile until it is placed here. `line`: a change of the
 * field changes the lines. `role`: the address of an account the act creates, so that only the lines that share it are
 * compared. `compared`: the operation's clauses compare it with the request, the wallet or the chain. `silent`: it has
 * no effect on an owner.
 */
import type { Act, ActOf, ClaimerShare, Holder } from '../../src/programs/acts.ts';

export type Place = 'line' | 'role' | readonly ['compared' | 'silent', string];

const L = 'line';
const signer: Place = ['silent', 'the runtime checks the signature; a right that moves names its new holder'];
const admin: Place = ['compared', 'the service key that has to sign'];
const inVenue: Place = ['compared', 'only programs the policy lists are called; `code` names them'];
const derived: Place = ['silent', 'its address follows from the mint'];

type Places<T> = { readonly [F in Exclude<keyof T, 'act'>]-?: Place };

export const PLACES: { readonly [K in Act['act']]: Places<ActOf<K>> } = {
  transfer: { asset: L, from: L, to: L, amount: L, authority: signer, fee: L },
  tip: { from: L, to: ['silent', 'one of the known block builders'], amount: L },
  mintTo: { mint: L, to: L, amount: L, authority: signer },
  burn: { mint: L, from: L, amount: L, authority: signer },
  swap: {
    venue: inVenue,
    pool: ['silent', 'which market trades is bounded by the receipt'],
    pair: ['silent', 'input and output are lines'],
    input: L,
    output: L,
    maxIn: L,
    minOut: L,
    exact: ['silent', 'both bounds hold whichever side is exact'],
    source: L,
    destination: L,
    authority: signer,
    referral: L,
    paidElsewhere: ['compared', 'no step of a route pays elsewhere'],
    reaches: ['compared', 'no account of the wallet beside those that trade'],
    feesBps: ['compared', 'no platform fee; the rest counts against the policy’s highest service fee'],
  },
  claim: { what: L, from: L, base: L, payouts: L, beneficiary: L, payer: L },
  openAccount: {
    account: 'role',
    kind: L,
    owner: L,
    mint: ['compared', 'one of the tokens of the operation'],
    payer: L,
    deposit: L,
    ifMissing: ['silent', 'the deposit is zero where the account exists'],
  },
  closeAccount: { account: L, refundTo: L, authority: signer },
  createMint: { mint: 'role', decimals: L, mintAuthority: L, freezeAuthority: L },
  setMetadata: {
    mint: L,
    updateAuthority: L,
    mutable: L,
    metadata: derived,
    payer: L,
    surcharge: L,
    name: L,
    symbol: L,
    uri: L,
  },
  freeze: { account: L, mint: L, frozen: L, authority: signer },
  mintRule: { mint: L, rule: L, values: L, authority: L },
  accountRule: { account: L, rule: L, on: L, authority: signer },
  setRight: { right: L, of: L, to: L, authority: signer, amount: L, asset: L },
  createConfig: { config: L, base: L, quote: L, claimers: L, final: L, partner: L, payer: L, admin },
  extendConfig: { config: L, base: L, quote: L, claimers: L, final: L, partner: L, payer: L, admin },
  changeShares: {
    config: L,
    base: L,
    quote: L,
    claimers: L,
    fromIndex: ['compared', 'the written places together are the whole list'],
    toIndex: ['compared', 'the written places together are the whole list'],
    final: L,
    manager: signer,
    payer: L,
  },
  setManager: { config: derived, base: L, quote: L, manager: L, payer: ['silent', 'nothing is paid'], admin },
  createPartner: { partnerConfig: 'role', partner: L, bps: L, payer: L, admin },
  createPoolConfig: {
    venue: L,
    config: 'role',
    quote: L,
    feeClaimer: L,
    leftoverReceiver: L,
    payer: L,
    terms: L,
  },
  createPool: {
    venue: L,
    pool: 'role',
    config: L,
    base: L,
    quote: L,
    creator: L,
    payer: L,
    token: L,
    makes: ['silent', 'their deposits are one line'],
    surcharge: L,
    surchargeOn: derived,
    terms: L,
  },
  openPosition: { venue: inVenue, pool: L, position: 'role', nftMint: derived, owner: L, payer: L },
  addLiquidity: { venue: inVenue, pool: L, position: L, liquidity: L, deposits: L, authority: signer },
  lockLiquidity: {
    venue: inVenue,
    pool: ['silent', 'the position says which'],
    position: L,
    liquidity: L,
    authority: signer,
  },
  tableCreate: { table: 'role', authority: L, payer: L },
  tableExtend: {
    table: L,
    authority: L,
    payer: L,
    addresses: ['silent', 'stages are read with the addresses the table holds'],
  },
  tableDeactivate: { table: L, authority: signer },
  tableFreeze: { table: L, authority: signer },
  tableClose: { table: L, authority: signer, refundTo: L },
  computeBudget: {
    setting: ['silent', 'the network fee is a line'],
    value: ['silent', 'the network fee is a line'],
  },
  memo: { text: L, signers: ['silent', 'a signature under a memo grants nothing'] },
  useNonce: { nonce: L, authority: L },
  nothing: {
    what: ['silent', 'neither value nor rights change'],
    isSync: ['silent', 'wrapped SOL stays with its owner'],
  },
  named: { program: L, instruction: L, accounts: L },
  unsupported: {
    program: L,
    reason: ['silent', 'why the reader does not fit; the stage is pinned by its bytes'],
    accounts: L,
  },
};

type Payout = ActOf<'claim'>['payouts'][number];
type Deposit = ActOf<'addLiquidity'>['deposits'][number];

/** Fields of the parts of acts. */
export const PARTS: {
  readonly holder: Places<Holder>;
  readonly claimer: Places<ClaimerShare>;
  readonly payout: Places<Payout>;
  readonly deposit: Places<Deposit>;
} = {
  holder: {
    account: ['compared', 'parties are owners; what arrives at the wallet arrives in its own accounts'],
    owner: L,
  },
  claimer: { wallet: L, bps: L },
  payout: {
    asset: L,
    to: L,
    most: ['silent', 'a claim is held to the receipt, which is at least the simulated one'],
  },
  deposit: { asset: L, from: L, most: L },
};
