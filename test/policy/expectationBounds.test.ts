/**
 * Whether what a later build is expected to lead to stays inside what a person approved, term by term and to the unit; what
 * of it was shown; and how fields of a request are read.
 */
import { describe, expect, it } from 'vitest';
import {
  boundsOf,
  type Expectation,
  isInside,
  type Opened,
  wasShown,
} from '../../src/policy/decide/operations/expectation.ts';
import { amountOf, askedEarners, askedManager, textOf } from '../../src/policy/decide/operations/request.ts';
import type { Facts } from '../../src/policy/decide/types.ts';
import { WSOL_MINT } from '../../src/transaction/programs.ts';
import { ATTACKER, askingFor, decide, stage, WALLET } from './recorded/stages.ts';

const approved: Expectation = {
  version: 1,
  operation: 'swap',
  wallet: WALLET,
  mostOut: [
    { asset: 'SOL', amount: '100' },
    { asset: ATTACKER, amount: '7' },
  ],
  leastIn: [
    { asset: WSOL_MINT, amount: '50' },
    { asset: 'other', amount: '3' },
  ],
  mostDeposits: '20',
  surcharges: '5',
  mostFees: '10',
  rights: [],
  open: [],
};

describe('an expectation stays inside an approved one', () => {
  const inside = (change: Partial<Expectation>) => isInside(approved, { ...approved, ...change });
  const out = (sol: string, token = '7') => [
    { asset: 'SOL', amount: sol },
    { asset: ATTACKER, amount: token },
  ];
  const least = (wrapped: string, other = '3') => [
    { asset: WSOL_MINT, amount: wrapped },
    { asset: 'other', amount: other },
  ];

  it('while it is the same, or asks for less and brings more', () => {
    expect(inside({})).toBe(true);
    expect(inside({ mostOut: out('99', '6'), leastIn: least('51', '4') })).toBe(true);
    expect(inside({ mostOut: [] })).toBe(true);
    expect(inside({ mostDeposits: '19', surcharges: '4', mostFees: '9' })).toBe(true);
    const { surcharges: _, ...none } = approved;
    expect(isInside(approved, none)).toBe(true);
    expect(isInside(none, { ...none, surcharges: '0' })).toBe(true);
  });

  it('and not where one unit more may leave, of any asset or beside them', () => {
    expect(inside({ mostOut: out('101') })).toBe(false);
    expect(inside({ mostOut: out('100', '8') })).toBe(false);
    expect(inside({ mostOut: [...out('100'), { asset: 'new', amount: '1' }] })).toBe(false);
    expect(inside({ mostOut: [...out('100'), { asset: 'new', amount: '0' }] })).toBe(true);
    for (const [field, value] of [
      ['mostDeposits', '21'],
      ['surcharges', '6'],
      ['mostFees', '11'],
    ] as const)
      expect([field, inside({ [field]: value })]).toEqual([field, false]);
    const { surcharges: _, ...none } = approved;
    expect(isInside(none, { ...none, surcharges: '1' })).toBe(false);
  });

  it('and not where one unit less must arrive, or another term is another', () => {
    expect(inside({ leastIn: least('49') })).toBe(false);
    expect(inside({ leastIn: least('50', '2') })).toBe(false);
    expect(inside({ leastIn: [] })).toBe(false);
    expect(inside({ wallet: ATTACKER })).toBe(false);
    expect(inside({ open: ['more'] })).toBe(false);
    expect(inside({ manager: ATTACKER })).toBe(false);
  });

  it('and its bounds are what may leave with fees and deposits, by asset in order', () => {
    expect(boundsOf(approved)).toEqual(
      [
        { asset: 'SOL', mostOut: '135', leastIn: '0' },
        { asset: WSOL_MINT, mostOut: '0', leastIn: '50' },
        { asset: ATTACKER, mostOut: '7', leastIn: '0' },
        { asset: 'other', mostOut: '0', leastIn: '3' },
      ].sort((a, b) => (a.asset < b.asset ? -1 : 1)),
    );
    const { surcharges: _, ...none } = approved;
    expect(boundsOf({ ...none, mostOut: [], leastIn: [] })).toEqual([
      { asset: 'SOL', mostOut: '30', leastIn: '0' },
    ]);
  });
});

describe('what a stage fixes was shown', () => {
  const shown: readonly Opened[] = [
    { what: 'pool', says: '"a"' },
    { what: 'first buy', says: '"token"', least: '10' },
    { what: `code of ${ATTACKER}`, says: '5' },
  ];

  it('where it is the same, and where a first buy brings at least as much', () => {
    expect(wasShown(shown, { what: 'pool', says: '"a"' })).toBe(true);
    expect(wasShown(shown, { what: 'pool', says: '"b"' })).toBe(false);
    expect(wasShown(shown, { what: 'position', says: '"a"' })).toBe(false);
    expect(wasShown(shown, { what: 'first buy', says: '"token"', least: '10' })).toBe(true);
    expect(wasShown(shown, { what: 'first buy', says: '"token"', least: '11' })).toBe(true);
    expect(wasShown(shown, { what: 'first buy', says: '"token"', least: '9' })).toBe(false);
    expect(wasShown(shown, { what: 'first buy', says: '"token"' })).toBe(false);
    expect(wasShown(shown, { what: 'first buy', says: '"other"', least: '10' })).toBe(false);
  });

  it('and code that no shown stage calls is open, while code that one calls must be the same', () => {
    expect(wasShown(shown, { what: `code of ${WALLET}`, says: '9' })).toBe(true);
    expect(wasShown(shown, { what: `code of ${ATTACKER}`, says: '5' })).toBe(true);
    expect(wasShown(shown, { what: `code of ${ATTACKER}`, says: '6' })).toBe(false);
    expect(wasShown(shown, { what: 'a code of ', says: '6' })).toBe(false);
  });
});

describe('a field of a request', () => {
  it('is an amount as a decimal text or a safe integer, and 0 as anything else', () => {
    const of = (amount: unknown) => amountOf({ amount }, 'amount');
    expect([of('0'), of('15'), of(15), of(0), of('18446744073709551615')]).toEqual([
      0n,
      15n,
      15n,
      0n,
      18_446_744_073_709_551_615n,
    ]);
    const odd = ['', ' 5', '5 ', '05', '5x', 'x5', '-5', -5, 1.5, 2 ** 53, true, null, undefined, ['5'], 5n];
    for (const value of [...odd, '123456789012345678901']) expect([value, of(value)]).toEqual([value, 0n]);
    expect(textOf({ text: 5 }, 'text')).toBeUndefined();
    expect(textOf({ text: 'x' }, 'text')).toBe('x');
  });

  it('names who manages: the admin, else who earns everything, else the payer', () => {
    const shares = (basisPointsArray: unknown) => ({ claimersArray: [ATTACKER, WALLET], basisPointsArray });
    expect(askedManager({ ...shares([4_000, 6_000]), admin: 'admin' }, WALLET)).toBe('admin');
    expect(askedManager(shares([10_000, 0]), WALLET)).toBe(ATTACKER);
    expect(askedManager(shares([4_000, 6_000]), WALLET)).toBe(WALLET);
    expect(askedManager(shares(undefined), WALLET)).toBe(WALLET);
  });

  it('names who earns, each with a share or with one that no bytes say, whether or not the lists can still change', () => {
    expect(askedEarners({ claimersArray: ['a', 5], basisPointsArray: [7, 1.5] })).toEqual([
      { wallet: 'a', bps: 7 },
      { wallet: '5', bps: -1 },
    ]);
    expect(askedEarners({ claimersArray: 'a' })).toEqual([]);
    expect(askedEarners({ claimersArray: ['a'], basisPointsArray: 'b' })).toEqual([{ wallet: 'a', bps: -1 }]);
    const claimersArray = ['a'];
    for (const request of [
      { claimersArray, basisPointsArray: [1] },
      Object.freeze({ claimersArray, basisPointsArray: Object.freeze([1]) }),
    ]) {
      expect(askedEarners(request)).toEqual([{ wallet: claimersArray[0], bps: 1 }]);
      claimersArray[0] = 'b';
      expect(askedEarners(request)).toEqual([{ wallet: 'b', bps: 1 }]);
      claimersArray[0] = 'a';
    }
  });
});

describe('several claims together', () => {
  const holding = stage('holding claim');
  const position = stage('position claim');
  const deployer = stage('deployer claim');
  const claimOf = ({ plan: { operation, request } }: Facts) => ({ operation, request });
  const expected = (facts: Facts): Expectation | undefined => decide(facts, askingFor('')).expectation;
  const together = (...claims: readonly Facts[]) => expected({ ...holding, claims: claims.map(claimOf) });

  it('are expected to pay and to deposit what each of them does, and name what each is about', () => {
    const [one, other] = [expected(holding), expected(position)];
    expect(together(holding)).toMatchObject({
      operation: 'claim_all',
      mostOut: [],
      leastIn: [],
      rights: [],
      mostFees: one?.mostFees,
      mostDeposits: one?.mostDeposits,
      open: ['how much has been earned when each of them lands'],
      claims: [{ operation: 'holding_claim', baseMint: one?.baseMint, quoteMint: WSOL_MINT }],
    });
    const both = together(holding, position, deployer);
    expect(both?.claims).toEqual([
      { operation: 'holding_claim', baseMint: one?.baseMint, quoteMint: WSOL_MINT },
      { operation: 'position_claim', baseMint: other?.baseMint, quoteMint: WSOL_MINT },
      { operation: 'deployer_claim' },
    ]);
    const lone = together(position);
    const last = together(deployer);
    const sum = (...each: (string | undefined)[]) =>
      `${each.reduce((total, amount) => total + BigInt(amount ?? '0'), 0n)}`;
    expect(both?.mostFees).toBe(sum(one?.mostFees, lone?.mostFees, last?.mostFees));
    expect(both?.mostDeposits).toBe(sum(one?.mostDeposits, lone?.mostDeposits, last?.mostDeposits));
    expect(BigInt(one?.mostFees ?? '0')).toBeGreaterThan(0n);
    // The service pays for all others, and what it pays for is no deposit of the wallet.
    expect(lone?.mostFees).toBe('0');
  });
});
