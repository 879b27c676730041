/** Parsing of request fields. */
import { describe, expect, it } from 'vitest';
import {
  amountOf,
  requestedClaimers,
  requestedManager,
  textOf,
} from '../../src/policy/decide/operations/request.ts';
import { ATTACKER, WALLET } from './recorded/stages.ts';

describe('a field of a request', () => {
  it('is an amount as a decimal string or a safe integer, and 0 otherwise', () => {
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

  it('names the manager: the admin, else the claimer of everything, else the payer', () => {
    const shares = (basisPointsArray: unknown) => ({ claimersArray: [ATTACKER, WALLET], basisPointsArray });
    expect(requestedManager({ ...shares([4_000, 6_000]), admin: 'admin' }, WALLET)).toBe('admin');
    expect(requestedManager(shares([10_000, 0]), WALLET)).toBe(ATTACKER);
    expect(requestedManager(shares([4_000, 6_000]), WALLET)).toBe(WALLET);
    expect(requestedManager(shares(undefined), WALLET)).toBe(WALLET);
  });

  it('names the claimers, each with a share or with an unknown one', () => {
    expect(requestedClaimers({ claimersArray: ['a', 5], basisPointsArray: [7, 1.5] })).toEqual([
      { wallet: 'a', bps: 7 },
      { wallet: '5', bps: -1 },
    ]);
    expect(requestedClaimers({ claimersArray: 'a' })).toEqual([]);
    expect(requestedClaimers({ claimersArray: ['a'], basisPointsArray: 'b' })).toEqual([
      { wallet: 'a', bps: -1 },
    ]);
  });
});
