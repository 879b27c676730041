/** What an approval of a whole run covers: the same terms, amounts up to the approved ones, and what was shown of the rest. */
import { describe, expect, it } from 'vitest';
import {
  type Expectation,
  isInside,
  type Opened,
  openedBy,
  wasShown,
} from '../../src/policy/decide/operations/expectation.ts';
import { keyNamed } from '../policy/people.ts';

const address = (name: string) => keyNamed(name).address;
const token = address('token');

const approved: Expectation = {
  version: 1,
  operation: 'swap',
  wallet: address('wallet'),
  mostOut: [{ asset: 'SOL', amount: '1000' }],
  leastIn: [{ asset: token, amount: '50' }],
  mostDeposits: '200',
  surcharges: '10',
  mostFees: '30',
  quoteMint: token,
  earners: [{ wallet: address('earner'), bps: 10_000 }],
  rights: [],
  open: [],
};
const covers = (change: Partial<Expectation>) => isInside(approved, { ...approved, ...change });
const out = (amount: string) => ({ mostOut: [{ asset: 'SOL', amount }] });
const arrives = (amount: string) => ({ leastIn: [{ asset: token, amount }] });

describe('an approved expectation', () => {
  it('covers itself, less that leaves and more that arrives', () => {
    expect(covers({})).toBe(true);
    expect(
      covers({ ...out('999'), ...arrives('51'), mostDeposits: '0', surcharges: '9', mostFees: '29' }),
    ).toBe(true);
    expect(covers({ mostOut: [] })).toBe(true);
  });

  it('does not cover one base unit more that leaves, or one less that arrives', () => {
    expect(covers(out('1001'))).toBe(false);
    expect(covers({ mostDeposits: '201' })).toBe(false);
    expect(covers({ surcharges: '11' })).toBe(false);
    expect(covers({ mostFees: '31' })).toBe(false);
    expect(covers(arrives('49'))).toBe(false);
    expect(covers({ leastIn: [] })).toBe(false);
    expect(covers({ mostOut: [...approved.mostOut, { asset: token, amount: '1' }] })).toBe(false);
  });

  it('does not cover another party, token or operation', () => {
    expect(covers({ earners: [{ wallet: address('other'), bps: 10_000 }] })).toBe(false);
    expect(covers({ manager: address('other') })).toBe(false);
    expect(covers({ quoteMint: address('other') })).toBe(false);
    expect(covers({ operation: 'launch' })).toBe(false);
    expect(covers({ open: ['something'] })).toBe(false);
  });
});

describe('what bytes fix beyond an expectation', () => {
  const buy: Opened = { what: 'first buy', says: '"token"', least: '100' };
  const code: Opened = { what: `code of ${token}`, says: '5' };

  it('was shown when it is the same, and a first buy brings at least as much', () => {
    expect(wasShown([buy], buy)).toBe(true);
    expect(wasShown([buy], { ...buy, least: '101' })).toBe(true);
    expect(wasShown([buy], { ...buy, least: '99' })).toBe(false);
    expect(wasShown([buy], { ...buy, says: '"other"' })).toBe(false);
    expect(wasShown([], buy)).toBe(false);
  });

  it('names the code of a program, which must not change once it was shown', () => {
    expect(wasShown([code], code)).toBe(true);
    expect(wasShown([code], { ...code, says: '6' })).toBe(false);
    // A later round calls programs that the first one did not.
    expect(wasShown([], code)).toBe(true);
  });

  it('names who is paid beside those who were asked for', () => {
    const paid = { asset: 'SOL', amount: '5000' };
    const [payment] = openedBy(approved, [], [{ role: 'payment', address: address('treasury'), paid }], []);
    expect(payment).toEqual({ what: 'payment', says: JSON.stringify(address('treasury')), paid });
  });
});
