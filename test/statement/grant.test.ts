/** The bounds of an approval of similar plans, on statements only. */
import { describe, expect, it } from 'vitest';
import { approvalByGrant, type Grant, grantedAsset, isWithin, paidBy } from '../../src/statement/grant.ts';
import type { Approval, Line, LineOf } from '../../src/statement/types.ts';

const [WALLET, SHOP, TOKEN, OTHER] = ['wallet', 'shop', 'token', 'other'];
const GRANT: Grant = { times: 3, asset: 'SOL', total: '100000', until: 1_000, worseBps: 100 };

const pays = (why: LineOf<'pays'>['why'], atMost: bigint, to = SHOP, asset = 'SOL'): Line => ({
  ...{ id: 'pays', source: 'transaction', asset, atMost, to, owner: to, why, returns: 'never' },
});
const receives = (atLeast: bigint, from = 'market', asset = TOKEN): Line => ({
  ...{ id: 'receives', source: 'transaction', asset, atLeast, from, into: WALLET, enforcedBy: 'program' },
});
const approvalOf = (lines: readonly Line[], scope: Partial<Approval['scope']> = {}): Approval => ({
  scope: {
    ...{ network: 'n', mode: 'live', wallet: WALLET, policyHash: 'p', intentKey: 'i', operation: 'swap' },
    ...{ endpoint: 'tradeSwap', requestDigest: 'r', expiresAt: 10, ...scope },
  },
  ...{ statement: { version: 1, lines }, pins: [], decisionDigests: [] },
});

const TRADE = [pays('trade', 1_000n, 'market'), receives(500n)];
const SEND = [pays('networkFee', 5n), pays('payment', 70n, SHOP, TOKEN)];

describe('a plan eligible for a grant', () => {
  it('is about the traded asset, else the paid one, else SOL', () => {
    expect(grantedAsset(approvalOf(TRADE))).toBe('SOL');
    expect(
      grantedAsset(approvalOf([pays('trade', 9n, 'market', TOKEN), receives(5n, 'market', 'SOL'), ...SEND])),
    ).toBe(TOKEN);
    expect(grantedAsset(approvalOf(SEND))).toBe(TOKEN);
    expect(grantedAsset(approvalOf([pays('networkFee', 5n), receives(5n, 'pool')]))).toBe('SOL');
  });

  it.each<[string, Approval]>([
    ['a launch', approvalOf(TRADE, { operation: 'launch' })],
    ['a pinned stage', { ...approvalOf(TRADE), pins: [{ digest: 'd', programs: [] }] }],
    ['two trades', approvalOf([...TRADE, pays('trade', 5n, 'market', OTHER)])],
    ['a trade without a receipt', approvalOf([pays('trade', 5n, 'market')])],
    ['a trade without proceeds', approvalOf([pays('trade', 5n, 'market'), receives(0n)])],
    ['a trade paid from another account', approvalOf([pays('trade', 5n, 'market'), receives(5n, 'pool')])],
    ['a finding', approvalOf([...TRADE, { id: 'asks', source: 'transaction', code: 'X' }])],
    ['an end', approvalOf([...TRADE, { id: 'final', source: 'transaction', what: 'shares', of: TOKEN }])],
  ])('is not %s', (_, approval) => {
    expect(grantedAsset(approval)).toBeUndefined();
  });
});

describe('the bounds of a later plan', () => {
  const like = (approved: readonly Line[], traded: bigint, scope: Partial<Approval['scope']> = {}) =>
    approvalByGrant(
      approvalOf(approved),
      GRANT,
      {
        scope: approvalOf([], { intentKey: 'j', requestDigest: 's', ...scope }).scope,
        stages: [
          {
            state: 'this',
            made: {},
            lines: traded === 0n ? [] : [pays('trade', traded, 'market'), pays('tip', 9n)],
          },
        ],
      },
      20,
      ['d'],
    );

  it('scale with its trade, rounded against the market', () => {
    expect(like(TRADE, 500n)).toMatchObject({
      scope: { intentKey: 'j', requestDigest: 's', expiresAt: 20 },
      statement: { lines: [{ why: 'trade', atMost: 500n }, { atLeast: 248n }] },
      ...{ pins: [], decisionDigests: ['d'] },
    });
    // 500 x 1,000 x 99 %, exactly.
    expect(like(TRADE, 1_000n)?.statement.lines[1]).toMatchObject({ atLeast: 495n });
    expect(like(TRADE, 1n)?.statement.lines[1]).toMatchObject({ atLeast: 1n });
  });

  it('are undefined above the approved amount, and if only one of the plans trades', () => {
    expect(like(TRADE, 1_001n)).toBeUndefined();
    expect(like(TRADE, 0n)).toBeUndefined();
    expect(like(SEND, 1n)).toBeUndefined();
    expect(like(SEND, 0n)?.statement.lines).toEqual(SEND);
  });

  it('scale the service fee, but no attribution transfer and no other payment', () => {
    const fees = [
      ...[pays('serviceFee', 20_000n), pays('serviceFee', 10_000n), pays('serviceFee', 10_001n)],
      ...[pays('serviceFee', 100n, SHOP, TOKEN), pays('tip', 20_000n)],
    ];
    const amounts = (lines: readonly Line[] = []) =>
      lines.flatMap((line) => (line.id === 'pays' ? line.atMost : []));
    expect(amounts(like([...TRADE, ...fees], 500n)?.statement.lines)).toEqual([
      500n,
      10_000n,
      10_000n,
      5_001n,
      50n,
      20_000n,
    ]);
    expect(amounts(like(fees, 0n)?.statement.lines)).toEqual([20_000n, 10_000n, 10_001n, 100n, 20_000n]);
  });

  it('accept any payout of a claim, and require other receipts in full', () => {
    const claim: Line = { id: 'claims', source: 'transaction', of: 'vault', kind: 'fees', payouts: [] };
    const lines =
      like([claim, receives(7n, 'vault'), receives(8n, 'pool'), receives(9n)], 0n)?.statement.lines ?? [];
    expect(lines.flatMap((line) => (line.id === 'receives' ? line.atLeast : []))).toEqual([0n, 8n, 9n]);
  });

  it('require the same network, mode, wallet, policy, operation, endpoint and principal', () => {
    for (const scope of [
      ...[{ network: 'x' }, { mode: 'sandbox' }, { wallet: 'x' }, { policyHash: 'x' }],
      ...[{ operation: 'send' }, { endpoint: 'x' }, { principal: 'anna' }],
    ])
      expect(like(TRADE, 500n, scope), JSON.stringify(scope)).toBeUndefined();
  });
});

describe('remaining capacity of a grant', () => {
  const approved = approvalOf([...TRADE, pays('networkFee', 5n, 'validators', TOKEN)]);
  const one = approvalOf(
    [...TRADE, pays('networkFee', 5n, 'validators', TOKEN)].map((line) =>
      line.id === 'receives' ? { ...line, atLeast: 495n } : line,
    ),
  );
  const fits = (grant: Partial<Grant>, others = 0, each: Approval = one) =>
    isWithin(approved, { ...GRANT, ...grant }, Array(others).fill(each), one);

  it('ends at the number, the total or the expiry', () => {
    expect(fits({})).toBe(true);
    expect(fits({}, 2)).toBe(true);
    expect(fits({}, 3)).toBe(false);
    expect(fits({ total: '3000' }, 2)).toBe(true);
    expect(fits({ total: '2999' }, 2)).toBe(false);
    expect(fits({ until: 10 })).toBe(true);
    expect(fits({ until: 9 })).toBe(false);
    expect(fits({ asset: TOKEN })).toBe(false);
  });

  it('counts every other asset at its number of times', () => {
    const dear = approvalOf([...TRADE, pays('networkFee', 6n, 'validators', TOKEN)]);
    expect(fits({ times: 3 }, 2, dear)).toBe(false);
    expect(fits({ times: 3 }, 1, dear)).toBe(true);
    expect([...paidBy(dear)]).toEqual([
      ['SOL', 1_000n],
      [TOKEN, 6n],
    ]);
  });

  it('does not depend on the order of lines', () => {
    const turned = { ...one, statement: { ...one.statement, lines: one.statement.lines.toReversed() } };
    expect(isWithin(approved, GRANT, [], turned)).toBe(true);
  });
});
