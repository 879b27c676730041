/** How fields of a request are read, and what a run of several claims is expected to do. */
import { describe, expect, it } from 'vitest';
import type { Expectation } from '../../src/policy/decide/operations/expectation.ts';
import { amountOf, askedEarners, askedManager, textOf } from '../../src/policy/decide/operations/request.ts';
import type { Facts } from '../../src/policy/decide/types.ts';
import { WSOL_MINT } from '../../src/transaction/programs.ts';
import { ATTACKER, askingFor, decide, stage, WALLET } from './recorded/stages.ts';

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
    expect(both?.mostDeposits).toBe(sum(one?.mostDeposits, lone?.mostDeposits, last?.mostDeposits));
    expect(BigInt(one?.mostDeposits ?? '0')).toBeGreaterThan(0n);
    // The service pays for all others, and what it pays for is no deposit of the wallet.
    expect(lone?.mostDeposits).toBe('0');
  });
});
