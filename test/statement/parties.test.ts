/** Parties of acts: payers, payees, transfers between others, and the owners of opened accounts. */
import { describe, expect, test } from 'vitest';
import type { Act } from '../../src/programs/acts.ts';
import type { ChainView, StageActs } from '../../src/statement/view.ts';
import { WSOL_MINT } from '../../src/transaction/programs.ts';
import { ownAccount, PAYEE, SERVICE, STRANGER, TOKEN, VENUE, WALLET } from './chain.ts';
import {
  type ActSentences,
  a,
  b,
  c,
  type Draft,
  d,
  earns,
  FULL,
  mine,
  moves,
  pays,
  receives,
  sentencesFor,
  sol,
  theirs,
  without,
} from './fullActs.ts';

const { transfer, swap, openAccount, claim } = FULL;

describe('a transfer', () => {
  const cases: readonly (readonly [string, Act, ActSentences, Partial<StageActs>?, Partial<ChainView>?])[] = [
    [
      'to the wallet arrives net of fees',
      { ...transfer, from: theirs, to: mine },
      [receives(TOKEN, 4n, PAYEE, 'program')],
    ],
    [
      'between others moves',
      { ...transfer, to: { account: a, owner: STRANGER }, from: theirs },
      [moves(TOKEN, 5n, PAYEE, STRANGER)],
    ],
    ['to the same party', { ...transfer, to: { account: a, owner: WALLET } }, 'sameParty'],
    [
      'of a token that withholds a fee of its own',
      without('transfer', 'fee'),
      [pays(5n, PAYEE, 'payment', { asset: TOKEN, leastArrives: 3n })],
      {},
      { withheld: (mint, amount) => (mint === TOKEN && amount === 5n ? 2n : 0n) },
    ],
    [
      'of SOL withholds nothing',
      { ...without('transfer', 'fee'), asset: 'SOL', from: sol },
      [pays(5n, PAYEE, 'payment')],
      {},
      { withheld: () => 2n },
    ],
    ['without a fee', { ...transfer, fee: 0n }, [pays(5n, PAYEE, 'payment', { asset: TOKEN })]],
    [
      'to somebody the request names',
      { ...transfer, fee: 0n },
      [pays(5n, PAYEE, 'tip', { asset: TOKEN })],
      { payees: new Map([[PAYEE, 'tip']]) },
    ],
    [
      'where others are paid a service fee',
      { ...transfer, fee: 0n },
      [pays(5n, PAYEE, 'serviceFee', { asset: TOKEN })],
      { otherwise: 'serviceFee' },
    ],
    [
      'back to who pays for the stage',
      transfer,
      [pays(5n, 'stagePayer', 'refund', { asset: TOKEN, leastArrives: 4n })],
      { feePayer: PAYEE },
    ],
    [
      'of an unknown token',
      without('transfer', 'asset'),
      [{ id: 'unsupported', program: VENUE, instruction: 'transfer', reaches: [mine.account] }],
      {},
      { tokenOwner: (account) => (account === mine.account ? WALLET : PAYEE) },
    ],
  ];
  for (const [name, act, expected, more, chain] of cases)
    test(name, () => expect(sentencesFor(act, more, chain)).toEqual(expected));
});

test('does not include a tip paid by another key', () => {
  expect(sentencesFor({ ...FULL.tip, from: SERVICE })).toEqual([moves('SOL', 5n, SERVICE, 'blockBuilder')]);
});

describe('a swap', () => {
  test("from or into another's account is a transfer", () => {
    expect(sentencesFor({ ...without('swap', 'referral'), source: theirs, destination: theirs })).toEqual([
      moves(b, 5n, PAYEE, 'market'),
      moves(TOKEN, 4n, 'market', PAYEE),
    ]);
  });
  test.each(['input', 'output'])('of an unknown %s is unsupported', (field) => {
    const reached = { tokenOwner: (account: string) => (account === c ? WALLET : undefined) };
    expect(sentencesFor(without('swap', field), {}, reached)).toEqual([
      { id: 'unsupported', program: VENUE, instruction: 'swap', reaches: [c] },
    ]);
  });
  test('refers to an owner, not its account', () => {
    const known = { tokenOwner: (account: string) => (account === d ? STRANGER : undefined) };
    expect(sentencesFor(swap, {}, known)).toContainEqual(earns(STRANGER, VENUE, 'referral', null));
  });
});

describe('parties', () => {
  const nameless = { account: ownAccount(TOKEN) };
  const unknown = { account: a };
  test.each<readonly [string, Act, ActSentences]>([
    [
      'the wallet owns its own account',
      { ...transfer, from: nameless, authority: STRANGER, fee: 0n },
      [pays(5n, PAYEE, 'payment', { asset: TOKEN })],
    ],
    [
      'accounts the wallet signs for are its own',
      { ...transfer, from: unknown, fee: 0n },
      [pays(5n, PAYEE, 'payment', { asset: TOKEN })],
    ],
    [
      'accounts another key signs for are not',
      { ...transfer, from: unknown, authority: STRANGER },
      [moves(TOKEN, 5n, a, PAYEE)],
    ],
    [
      'accounts another key owns are not, whoever signs',
      { ...transfer, from: theirs, to: unknown },
      [moves(TOKEN, 5n, PAYEE, a)],
    ],
    [
      'an address gets SOL itself',
      { ...transfer, asset: 'SOL', to: nameless, from: theirs, authority: STRANGER },
      [moves('SOL', 5n, PAYEE, nameless.account)],
    ],
    [
      'an account that is closed',
      { ...FULL.closeAccount, account: nameless, refundTo: a },
      [{ id: 'returned', asset: 'SOL', of: nameless.account, into: a }],
    ],
  ])('%s', (_, act, expected) => {
    expect(sentencesFor(act)).toEqual(expected);
  });
});

test('a claim states every payout and receives those of the wallet', () => {
  const payouts = [
    { asset: WSOL_MINT, to: theirs },
    { asset: TOKEN, to: mine },
  ];
  expect(sentencesFor({ ...without('claim', 'base', 'beneficiary', 'payer'), payouts })).toEqual([
    {
      ...{ id: 'claims', of: a, kind: claim.what },
      payouts: [
        { asset: 'SOL', owner: PAYEE },
        { asset: TOKEN, owner: WALLET },
      ],
    },
    receives(TOKEN, 0n, a, 'simulation'),
  ]);
});

describe('an opened account', () => {
  const own = { ...openAccount, owner: WALLET };
  const back = pays(700n, a, 'deposit', { owner: WALLET, returns: 'onClose' });
  const close = (refundTo: string, account = a): Act => ({
    ...FULL.closeAccount,
    account: { account },
    refundTo,
  });
  const cases: readonly (readonly [string, Act, ActSentences, Act[]?, Partial<ChainView>?])[] = [
    ['for the wallet returns its deposit', own, [back]],
    ['for the wallet by another', { ...own, payer: STRANGER }, 'notTheWallets'],
    [
      'of no known owner is its own',
      without('openAccount', 'owner'),
      [{ id: 'opens', account: a, owner: a, kind: 'token' }, pays(700n, a, 'deposit')],
    ],
    [
      'and exists already',
      own,
      [{ ...back, atMost: 0n } as Draft],
      [],
      { exists: (account) => account === a },
    ],
    ['and closed to the wallet', own, 'notTheWallets', [close(WALLET)]],
    ['and closed to another', own, [back], [close(STRANGER)]],
    ['while another account is closed', own, [back], [close(WALLET, b)]],
    ['and given an owner afterwards', { ...openAccount, kind: 'data' }, [back], [own]],
    [
      'and given an owner and a rule afterwards',
      { ...openAccount, kind: 'data' },
      [back],
      [own, { ...FULL.accountRule, account: a }],
    ],
    [
      'while another is given to the wallet',
      { ...openAccount, kind: 'data' },
      dataOfAnother(),
      [{ ...own, account: b }],
    ],
    ['twice as data', { ...openAccount, kind: 'data' }, dataOfAnother(), [{ ...own, kind: 'data' }]],
  ];
  for (const [name, act, expected, others, chain] of cases)
    test(name, () => expect(sentencesFor(act, {}, chain, others)).toEqual(expected));
});
/** A data account of another party. */
function dataOfAnother(): ActSentences {
  return [
    { id: 'opens', account: a, owner: PAYEE, kind: 'data' },
    pays(700n, a, 'deposit', { owner: PAYEE }),
  ];
}
