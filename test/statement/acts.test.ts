/** The statement lines of each act about the wallet and others, and the acts without lines. */
import { describe, expect, test } from 'vitest';
import type { Act } from '../../src/programs/acts.ts';
import type { CurveConfig } from '../../src/programs/poolTerms/terms.ts';
import type { ChainView } from '../../src/statement/view.ts';
import { WSOL_MINT } from '../../src/transaction/programs.ts';
import { flatTerms, PAYEE, SERVICE, STRANGER, TOKEN, VENUE, WALLET } from './chain.ts';
import {
  type ActSentences,
  a,
  b,
  c,
  controls,
  type Draft,
  d,
  deposit,
  earns,
  FULL,
  mine,
  moves,
  pays,
  receives,
  sentencesFor,
  terms,
  texts,
  theirs,
  without,
} from './fullActs.ts';

/** The wallet's refund when it closes the table. */
const ownDeposit = pays(700n, a, 'deposit', { owner: WALLET, returns: 'onClose' });
const written: readonly Draft[] = [
  earns(PAYEE, b, 'fees', 4_000, { asset: c }),
  earns(d, b, 'partner', null),
  { id: 'final', what: 'shares', of: b },
  deposit(a),
];

const EXPECTED: { readonly [K in Act['act']]: ActSentences } = {
  transfer: [pays(5n, PAYEE, 'payment', { asset: TOKEN, leastArrives: 4n })],
  tip: [pays(5n, 'blockBuilder', 'tip')],
  mintTo: [{ id: 'supply', mint: a, minted: 5n, burned: 0n, holder: PAYEE }],
  burn: [{ id: 'supply', mint: a, minted: 0n, burned: 5n, holder: WALLET }],
  swap: [
    pays(5n, 'market', 'trade', { asset: b }),
    receives(TOKEN, 4n, 'market', 'program'),
    earns(d, VENUE, 'referral', null),
  ],
  claim: [
    {
      ...{ id: 'claims', of: a, kind: 'w', base: b, beneficiary: WALLET },
      payouts: [{ asset: TOKEN, owner: WALLET }],
    },
    receives(TOKEN, 0n, a, 'simulation'),
    deposit(a),
  ],
  openAccount: [
    { id: 'opens', account: a, owner: PAYEE, kind: 'token' },
    pays(700n, a, 'deposit', { owner: PAYEE }),
  ],
  closeAccount: [{ id: 'returned', asset: 'SOL', of: WALLET, into: WALLET }],
  createMint: [
    { id: 'makes', mint: a, decimals: 6 },
    controls('mint authority', a, WALLET),
    controls('freeze authority', a, null),
  ],
  setMetadata: [
    { id: 'names', ...texts, mint: a, mutable: false },
    controls('metadata authority', a, null),
    deposit(a),
    pays(9n, VENUE, 'metadata'),
  ],
  freeze: [{ id: 'freezes', holder: PAYEE, mint: a, frozen: true }],
  mintRule: [{ id: 'rule', of: a, rule: 'r', values: '{"bps":"1"}', by: b }],
  accountRule: [{ id: 'rule', of: a, rule: 'r', values: '{"on":true}' }],
  setRight: [controls('delegate', a, b, { atMost: 5n, asset: c })],
  createConfig: written,
  extendConfig: written,
  changeShares: written.filter((each) => each.id !== 'earns' || each.of !== 'partner'),
  setManager: [controls('fee shares', b, d, { asset: c })],
  createPartner: [earns(b, a, 'partner', 10), deposit(a)],
  createPoolConfig: [
    { id: 'terms', of: a, venue: 'v', quote: b, terms: terms('1') },
    earns(c, a, 'fees', null),
    earns(d, a, 'leftover', null),
    deposit(a),
  ],
  createPool: [
    { id: 'terms', of: a, venue: 'v', base: c, quote: d, terms: terms('1') },
    controls('pool creator', a, PAYEE),
    { id: 'uses', account: b, kind: 'config', authority: null },
    { id: 'makes', mint: c, decimals: null },
    { id: 'names', ...texts, mint: c, mutable: null },
    deposit(a),
    pays(3n, VENUE, 'metadata'),
  ],
  openPosition: [
    { id: 'position', pool: a, of: b, liquidity: 0n, deposits: [] },
    controls('owner', b, d),
    deposit(b),
  ],
  addLiquidity: [
    { id: 'position', pool: a, of: b, liquidity: 5n, deposits: [{ asset: TOKEN, atMost: 3n }] },
    pays(3n, a, 'pool', { asset: TOKEN, owner: VENUE }),
  ],
  lockLiquidity: [{ id: 'assures', what: 'locked', of: b, liquidity: 5n, held: false }],
  tableCreate: [controls('table authority', a, WALLET), ownDeposit],
  tableExtend: [ownDeposit],
  tableDeactivate: [{ id: 'rule', of: a, rule: 'tableDeactivate', values: '{}' }],
  tableFreeze: [{ id: 'rule', of: a, rule: 'tableFreeze', values: '{}' }],
  tableClose: [{ id: 'returned', asset: 'SOL', of: a, into: WALLET }],
  computeBudget: 'networkFee',
  memo: [{ id: 'memo', text: 't' }],
  useNonce: [{ id: 'uses', account: a, kind: 'nonce', authority: WALLET }],
  nothing: 'noEffect',
  named: [{ id: 'unsupported', program: VENUE, instruction: 'i', reaches: [WALLET] }],
  unsupported: [{ id: 'unsupported', program: VENUE, instruction: null, reaches: [WALLET] }],
};

test.each(Object.entries(EXPECTED))('%s states all its effects', (kind, expected) => {
  expect(sentencesFor(FULL[kind as Act['act']])).toEqual(expected);
});

/** An act paid by another party omits its deposits and surcharges; other lines stay. */
test.each(Object.entries(EXPECTED).filter(([kind]) => 'payer' in FULL[kind as Act['act']]))(
  '%s paid for by another key states no deposits',
  (kind, expected) => {
    const left = (expected as readonly Draft[]).filter((each) => each.id !== 'pays');
    const act = { ...FULL[kind as Act['act']], payer: STRANGER } as Act;
    expect(sentencesFor(act)).toEqual(left.length === 0 ? 'notTheWallets' : left);
  },
);

const { setRight, addLiquidity, createPool, createConfig } = FULL;

test('optional fields that are missing', () => {
  const mint = without('createMint', 'decimals', 'mintAuthority', 'freezeAuthority');
  expect(sentencesFor(mint)).toEqual([
    { id: 'makes', mint: a, decimals: null },
    controls('mint authority', a, null),
    controls('freeze authority', a, null),
  ]);
  expect(sentencesFor(without('setMetadata', 'mutable', 'updateAuthority', 'payer', 'surcharge'))).toEqual([
    { id: 'names', ...texts, mint: a, mutable: null },
    controls('metadata authority', a, null),
  ]);
  expect(sentencesFor(without('setMetadata', 'surcharge'))).not.toContainEqual(pays(9n, VENUE, 'metadata'));
  expect(sentencesFor(without('mintRule', 'authority'))).toEqual([
    { id: 'rule', of: a, rule: 'r', values: '{"bps":"1"}' },
  ]);
  expect(sentencesFor(without('setRight', 'amount', 'asset'))).toEqual([controls('delegate', a, b)]);
  expect(sentencesFor({ ...createConfig, final: false })).toEqual(written.filter(({ id }) => id !== 'final'));
  expect(sentencesFor(without('createConfig', 'partner'))).toEqual(EXPECTED.changeShares);
  expect(sentencesFor(without('createPoolConfig', 'terms'))).toContainEqual(
    expect.objectContaining({ id: 'terms', terms: null }),
  );
});

test.each([
  ['mint authority', null, { id: 'assures', what: 'noMinting', of: a, held: false }],
  ['freeze authority', null, { id: 'assures', what: 'noFreezing', of: a, held: true }],
  ['owner', null, controls('owner', a, null)],
  ['mint authority', b, controls('mint authority', a, b)],
] as const)('the %s of %s', (right, to, expected) => {
  const act: Act = { ...without('setRight', 'amount', 'asset'), right, to };
  const holds: ChainView['holds'] = (assurance, of) => assurance === 'noFreezing' && of === a;
  expect(sentencesFor(act, {}, { holds })).toEqual([expected]);
});

test('rights over wrapped SOL are rights over SOL', () => {
  expect(sentencesFor({ ...setRight, asset: WSOL_MINT })).toEqual([
    controls('delegate', a, b, { atMost: 5n, asset: 'SOL' }),
  ]);
});

describe('a pool', () => {
  const setting = (creationFee: bigint): CurveConfig => ({
    ...{ terms: { ...flatTerms(7n), creationFee }, feeClaimer: STRANGER, leftoverReceiver: SERVICE },
  });
  const from = (fee: bigint): Partial<ChainView> => ({
    poolSetting: (of) => (of === b ? setting(fee) : undefined),
  });
  const byConfig = (EXPECTED.createPool as readonly Draft[]).flatMap((each): Draft[] => {
    if (each.id === 'terms') return [{ ...each, terms: { ...terms('7'), creationFee: '9' } }];
    return each.id === 'uses'
      ? [each, earns(STRANGER, b, 'fees', null), earns(SERVICE, b, 'leftover', null)]
      : [each];
  });
  test('has the terms of its config, its claimers and its fee', () => {
    expect(sentencesFor(createPool, {}, from(9n))).toEqual([...byConfig, pays(9n, VENUE, 'payment')]);
    expect(sentencesFor({ ...createPool, payer: STRANGER }, {}, from(9n))).toEqual(
      byConfig.filter(({ id }) => id !== 'pays'),
    );
    expect(sentencesFor(createPool, {}, from(0n)).at(-1)).toEqual(pays(3n, VENUE, 'metadata'));
  });
  test('without a config or a token states neither', () => {
    const left = (EXPECTED.createPool as readonly Draft[]).filter(
      ({ id }) => !['uses', 'makes', 'names'].includes(id),
    );
    expect(sentencesFor(without('createPool', 'config', 'token'), {}, from(9n))).toEqual(left);
  });
});

test('liquidity is paid into the pool by its provider, unbounded if the transaction sets no bound', () => {
  const deposits = [
    { asset: TOKEN, from: mine },
    { asset: WSOL_MINT, from: theirs, most: 2n },
    { asset: TOKEN, from: mine, most: 0n },
  ];
  expect(sentencesFor({ ...addLiquidity, deposits })).toEqual([
    {
      ...{ id: 'position', pool: a, of: b, liquidity: 5n },
      deposits: [
        { asset: TOKEN, atMost: null },
        { asset: 'SOL', atMost: 2n },
        { asset: TOKEN, atMost: 0n },
      ],
    },
    pays(2n ** 64n - 1n, a, 'pool', { asset: TOKEN, owner: VENUE }),
    moves('SOL', 2n, PAYEE, a),
  ]);
});

test('an existing lock is stated as held', () => {
  const holds: ChainView['holds'] = (assurance, of) => assurance === 'locked' && of === b;
  expect(sentencesFor(FULL.lockLiquidity, {}, { holds })).toEqual([
    { id: 'assures', what: 'locked', of: b, liquidity: 5n, held: true },
  ]);
});

test('an unsupported instruction may reach the wallet and its accounts, each once', () => {
  const tokenOwner = (account: string) =>
    account === d || account === c ? WALLET : account === a ? PAYEE : undefined;
  const [expectedLine] = sentencesFor(
    { ...FULL.named, accounts: [d, WALLET, a, c, b, d] },
    {},
    { tokenOwner },
  );
  expect(expectedLine).toMatchObject({ reaches: [c, d, WALLET].toSorted() });
});
