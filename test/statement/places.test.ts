/** Each field of each act is where `PLACES` says: a change of it changes the lines, or only who shares them, or nothing. */
import { expect, test } from 'vitest';
import type { Act, ActOf } from '../../src/programs/acts.ts';
import { statementDigest, statementOf } from '../../src/statement/aggregate.ts';
import { linesOf } from '../../src/statement/lines.ts';
import { PARTS, PLACES, type Place } from '../../src/statement/places.ts';
import {
  at,
  FakeChain,
  flatTerms,
  ownAccount,
  PAYEE,
  SCOPE,
  STRANGER,
  TOKEN,
  VENUE,
  WALLET,
} from './chain.ts';

const mine = { account: ownAccount(TOKEN), owner: WALLET };
const theirs = { account: at('their account'), owner: PAYEE };
const texts = { name: 'Name', symbol: 'SYM', uri: 'ipfs://x' };
const shares = [{ wallet: PAYEE, bps: 4_000 }];
const [a, b, c, d] = [at('a'), at('b'), at('c'), at('d')];
const config = {
  config: a,
  base: b,
  quote: c,
  earners: shares,
  final: true,
  partner: d,
  payer: WALLET,
  admin: d,
};

/** An act of each kind with every field it may have. */
const FULL: { readonly [K in Act['act']]: Required<ActOf<K>> } = {
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
      mostIn: 5n,
      leastOut: 4n,
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
    ...{ act: 'changeShares', config: a, base: b, quote: c, earners: shares, fromIndex: 0, toIndex: 1 },
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
  unread: { act: 'unread', program: VENUE, reason: 'r', accounts: [WALLET] },
};

function digest(act: Act): string {
  const stage = {
    ...{ wallet: WALLET, feePayer: WALLET, fee: 1n, payees: new Map(), fixed: new Set<string>() },
    ...{
      otherwise: 'payment' as const,
      calls: [{ program: 'program' in act ? act.program : VENUE, acts: [act] }],
    },
    arrivals: new Map([...[TOKEN, 'SOL', STRANGER].map((asset) => [asset, 5n] as const)]),
  };
  const stages = [{ ...linesOf(stage, new FakeChain()), state: 'this' as const }];
  return statementDigest(
    statementOf({ scope: SCOPE, time: 0, stages, draws: new Map(), spentPins: [], request: [] }),
  );
}

/** Another value of the same type. */
function another(value: unknown): unknown {
  if (typeof value === 'bigint') return value + 1n;
  if (typeof value === 'number') return value + 1;
  if (typeof value === 'boolean') return !value;
  if (value === null) return STRANGER;
  if (Array.isArray(value)) return value.length > 1 ? value.toReversed() : value.map(another);
  if (typeof value !== 'object') return value === 'in' ? 'out' : value === 'token' ? 'multisig' : STRANGER;
  if ('owner' in value) return { ...value, owner: STRANGER };
  const [first = ''] = Object.keys(value);
  return { ...value, [first]: another(Object.entries(value)[0]?.[1]) };
}

const fields = Object.entries(FULL).flatMap(([kind, act]) =>
  Object.keys(act)
    .filter((field) => field !== 'act')
    // Each kind has its own fields; the mapped type holds both tables to them.
    .map(
      (field) =>
        [kind, field, (PLACES as Record<string, Record<string, Place>>)[kind]?.[field], act] as const,
    ),
);

test.each(fields)('%s.%s is where it is placed', (_kind, field, place, act) => {
  const value = (act as unknown as Record<string, unknown>)[field];
  const changed = { ...act, [field]: another(value) } as Act;
  expect(digest(changed) === digest(act)).toBe(place !== 'line');
});

test('fields of parts are where they are placed', () => {
  const differs = (one: Act, other: Act) => digest(one) !== digest(other);
  const { transfer, createConfig, claim, addLiquidity } = FULL;
  const found = {
    holder: {
      account: differs(transfer, { ...transfer, to: { ...theirs, account: STRANGER } }),
      owner: differs(transfer, { ...transfer, to: { ...theirs, owner: STRANGER } }),
    },
    earner: {
      wallet: differs(createConfig, { ...createConfig, earners: [{ wallet: STRANGER, bps: 4_000 }] }),
      bps: differs(createConfig, { ...createConfig, earners: [{ wallet: PAYEE, bps: 1 }] }),
    },
    payout: {
      asset: differs(claim, { ...claim, payouts: [{ asset: STRANGER, to: mine, most: 5n }] }),
      to: differs(claim, { ...claim, payouts: [{ asset: TOKEN, to: theirs, most: 5n }] }),
      most: differs(claim, { ...claim, payouts: [{ asset: TOKEN, to: mine, most: 6n }] }),
    },
    deposit: {
      asset: differs(addLiquidity, {
        ...addLiquidity,
        deposits: [{ asset: STRANGER, from: mine, most: 3n }],
      }),
      from: differs(addLiquidity, { ...addLiquidity, deposits: [{ asset: TOKEN, from: theirs, most: 3n }] }),
      most: differs(addLiquidity, { ...addLiquidity, deposits: [{ asset: TOKEN, from: mine, most: 4n }] }),
    },
  };
  const placed = (part: Readonly<Record<string, Place>>) =>
    Object.fromEntries(Object.entries(part).map(([field, place]) => [field, place === 'line']));
  expect(found).toEqual(
    Object.fromEntries(Object.entries(PARTS).map(([name, part]) => [name, placed(part)])),
  );
});
