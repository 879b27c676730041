/** An act of each kind with every possible field, and its lines. */
import { expect } from 'vitest';
import type { Act, ActOf } from '../../src/programs/acts.ts';
import { linesOfAct, type NoLine } from '../../src/statement/acts.ts';
import type { Fact, Line, LineOf } from '../../src/statement/types.ts';
import type { ChainView, StageActs } from '../../src/statement/view.ts';
import { at, FakeChain, flatTerms, ownAccount, PAYEE, TOKEN, VENUE, WALLET } from './chain.ts';

export const mine = { account: ownAccount(TOKEN), owner: WALLET };
export const theirs = { account: at('their account'), owner: PAYEE };
export const texts = { name: 'Name', symbol: 'SYM', uri: 'ipfs://x' };
const shares = [{ wallet: PAYEE, bps: 4_000 }];
export const [a, b, c, d] = [at('a'), at('b'), at('c'), at('d')];
const config = {
  config: a,
  base: b,
  quote: c,
  claimers: shares,
  final: true,
  partner: d,
  payer: WALLET,
  admin: d,
};

export const FULL: { readonly [K in Act['act']]: Required<ActOf<K>> } = {
  transfer: { act: 'transfer', asset: TOKEN, from: mine, to: theirs, amount: 5n, authority: WALLET, fee: 1n },
  tip: { act: 'tip', from: WALLET, to: a, amount: 5n },
  mintTo: { act: 'mintTo', mint: a, to: theirs, amount: 5n, authority: b },
  burn: { act: 'burn', mint: a, from: mine, amount: 5n, authority: WALLET },
  swap: {
    ...{
      act: 'swap',
      venue: 'v',
      pool: a,
      pair: [b, TOKEN],
      input: b,
      output: TOKEN,
      maxIn: 5n,
      minOut: 4n,
    },
    ...{
      exact: 'in',
      source: { account: c, owner: WALLET },
      destination: mine,
      authority: WALLET,
      referral: d,
    },
    ...{ reaches: [a], paidElsewhere: a, feesBps: { platform: 0 } },
  },
  claim: {
    ...{ act: 'claim', what: 'w', from: a, base: b, payouts: [{ asset: TOKEN, to: mine, most: 5n }] },
    ...{ beneficiary: WALLET, payer: WALLET },
  },
  openAccount: {
    ...{ act: 'openAccount', account: a, kind: 'token', owner: PAYEE, mint: b, payer: WALLET },
    ...{ deposit: 7n, ifMissing: true },
  },
  closeAccount: { act: 'closeAccount', account: mine, refundTo: WALLET, authority: WALLET },
  createMint: { act: 'createMint', mint: a, decimals: 6, mintAuthority: WALLET, freezeAuthority: null },
  setMetadata: {
    ...{ act: 'setMetadata', mint: a, updateAuthority: null, mutable: false, metadata: b, payer: WALLET },
    ...{ surcharge: 9n, ...texts },
  },
  freeze: { act: 'freeze', account: theirs, mint: a, frozen: true, authority: b },
  mintRule: { act: 'mintRule', mint: a, rule: 'r', values: { bps: 1n }, authority: b },
  accountRule: { act: 'accountRule', account: a, rule: 'r', on: true, authority: b },
  setRight: { act: 'setRight', right: 'delegate', of: a, to: b, authority: WALLET, amount: 5n, asset: c },
  createConfig: { act: 'createConfig', ...config },
  extendConfig: { act: 'extendConfig', ...config },
  changeShares: {
    ...{ act: 'changeShares', config: a, base: b, quote: c, claimers: shares, fromIndex: 0, toIndex: 1 },
    ...{ final: true, manager: WALLET, payer: WALLET },
  },
  setManager: { act: 'setManager', config: a, base: b, quote: c, manager: d, payer: WALLET, admin: a },
  createPartner: { act: 'createPartner', partnerConfig: a, partner: b, bps: 10, payer: WALLET, admin: c },
  createPoolConfig: {
    ...{ act: 'createPoolConfig', venue: 'v', config: a, quote: b, feeClaimer: c, leftoverReceiver: d },
    ...{ payer: WALLET, terms: flatTerms(1n) },
  },
  createPool: {
    ...{
      act: 'createPool',
      venue: 'v',
      pool: a,
      config: b,
      base: c,
      quote: d,
      creator: PAYEE,
      payer: WALLET,
    },
    ...{ token: texts, makes: [{ account: a }], surcharge: 3n, surchargeOn: c, terms: flatTerms(1n) },
  },
  openPosition: {
    act: 'openPosition',
    venue: 'v',
    pool: a,
    position: b,
    nftMint: c,
    owner: d,
    payer: WALLET,
  },
  addLiquidity: {
    ...{ act: 'addLiquidity', venue: 'v', pool: a, position: b, liquidity: 5n, authority: WALLET },
    deposits: [{ asset: TOKEN, from: mine, most: 3n }],
  },
  lockLiquidity: { act: 'lockLiquidity', venue: 'v', pool: a, position: b, liquidity: 5n, authority: WALLET },
  tableCreate: { act: 'tableCreate', table: a, authority: WALLET, payer: WALLET },
  tableExtend: { act: 'tableExtend', table: a, authority: WALLET, payer: WALLET, addresses: [b] },
  tableDeactivate: { act: 'tableDeactivate', table: a, authority: WALLET },
  tableFreeze: { act: 'tableFreeze', table: a, authority: WALLET },
  tableClose: { act: 'tableClose', table: a, authority: WALLET, refundTo: WALLET },
  computeBudget: { act: 'computeBudget', setting: 's', value: 1n },
  memo: { act: 'memo', text: 't', signers: [WALLET] },
  useNonce: { act: 'useNonce', nonce: a, authority: WALLET },
  nothing: { act: 'nothing', what: 'w', isSync: true },
  named: { act: 'named', program: VENUE, instruction: 'i', accounts: [WALLET] },
  unsupported: { act: 'unsupported', program: VENUE, reason: 'r', accounts: [WALLET] },
};

export type Draft = Fact | Omit<LineOf<'pays'>, 'source'> | Omit<LineOf<'receives'>, 'source'>;
export type ActSentences = NoLine | readonly Draft[];

export const stageOf = (acts: readonly Act[], more: Partial<StageActs> = {}): StageActs => ({
  ...{ wallet: WALLET, feePayer: WALLET, fee: 1n, calls: [{ program: VENUE, acts }] },
  ...{ payees: new Map(), otherwise: 'payment', fixed: new Set<string>(), ...more },
});
/** Returns the lines of an act without their sources; each act deposits 700 lamports. */
export function sentencesFor(
  act: Act,
  more: Partial<StageActs> = {},
  chain: Partial<ChainView> = {},
  others: Act[] = [],
): ActSentences {
  const view = Object.assign(new FakeChain(), { deposit: () => 700n, ...chain });
  const lines = linesOfAct(act, VENUE, stageOf([act, ...others], more), view);
  if (typeof lines === 'string') return lines;
  return lines.map(({ source, ...draft }: Line): Draft => {
    expect(source).toBe('transaction');
    return draft as Draft;
  });
}

export const pays = (
  atMost: bigint,
  to: string,
  why: LineOf<'pays'>['why'],
  more: Partial<LineOf<'pays'>> = {},
): Draft => ({
  ...{ id: 'pays', asset: 'SOL', atMost, to, owner: to, why, returns: 'never', ...more },
});
export const deposit = (to: string): Draft => pays(700n, to, 'deposit', { owner: VENUE });
export const receives = (
  asset: string,
  atLeast: bigint,
  from: string,
  enforcedBy: 'program' | 'simulation',
): Draft => ({
  ...{ id: 'receives', asset, atLeast, from, into: WALLET, enforcedBy },
});
export const moves = (asset: string, amount: bigint, from: string, to: string): Draft => ({
  ...{ id: 'moves', asset, amount, from, to },
});
export const controls = (right: string, of: string, party: string | null, more: object = {}): Draft => ({
  ...{ id: 'controls', right, of, party, ...more },
});
export const earns = (
  party: string,
  from: string,
  of: LineOf<'earns'>['of'],
  shareBps: number | null,
  more: object = {},
): Draft => ({
  ...{ id: 'earns', party, shareBps, from, of, ...more },
});
export const terms = (fee: string) => {
  const { activationPoint, openingRoot, creationFee, ...rest } = flatTerms(BigInt(fee));
  const course = { ...rest.fee, first: fee, highest: fee, lowest: fee, endsAfter: '0' };
  return { ...rest, fee: course, openingRoot: `${openingRoot}`, creationFee: '0' };
};
export const without = <K extends Act['act']>(kind: K, ...fields: string[]): ActOf<K> => {
  const left = Object.entries(FULL[kind]).filter(([field]) => !fields.includes(field));
  return Object.fromEntries(left) as unknown as ActOf<K>;
};
export const sol = { account: WALLET, owner: WALLET };
