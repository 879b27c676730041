/** Approvals: what a person is asked for, and what an approval covers. */

import { describe, expect, it } from 'vitest';
import { evaluate } from '../../src/policy/decide/evaluate.ts';
import type { Facts, LedgerView } from '../../src/policy/decide/types.ts';
import type { PolicyFile } from '../../src/policy/file/schema.ts';
import { expectDenied, facts, under } from './deciding.ts';
import { keyNamed, NOTHING_USED } from './people.ts';
import { policyWith, rewritten } from './recorded/stages.ts';

describe('approvals', () => {
  const asks = (file: PolicyFile): PolicyFile => ({
    ...file,
    rules: file.rules.map((rule) => ({ ...rule, effect: 'require_approval' as const })),
  });
  const granted = (change: Partial<NonNullable<LedgerView['approval']>> = {}): LedgerView => ({
    used: {},
    approval: {
      id: 'a1',
      envelopeDigest: under(asks).envelopeDigest,
      expiresAt: facts.time + 1000,
      ...change,
    },
  });

  it('are asked for by a rule, and allow the stage once given', () => {
    const asked = under(asks);
    expect(asked).toMatchObject({
      effect: 'require_approval',
      reasonCodes: ['APPROVAL_REQUIRED'],
      class: 'policy',
    });
    expect(asked.envelopeDigest).toMatch(/^[0-9a-f]{64}$/);
    expect(under(asks, granted())).toMatchObject({ effect: 'allow', reasonCodes: [] });
  });

  it('count only for what was approved, and only in time (T40)', () => {
    const late = under(asks, granted({ expiresAt: facts.time }));
    expect(late).toMatchObject({
      effect: 'require_approval',
      reasonCodes: ['APPROVAL_EXPIRED', 'APPROVAL_REQUIRED'],
    });
    expect(under(asks, granted({ envelopeDigest: '00'.repeat(32) })).effect).toBe('require_approval');
    const other = { ...facts.plan, intentKey: 'another intent' };
    expect(under(asks, granted(), { plan: other }).effect).toBe('require_approval');
    const little = [{ asset: 'SOL', mostOut: '1', leastIn: '0' }];
    expect(under(asks, granted({ assets: little })).effect).toBe('require_approval');
    const enough = [{ asset: 'SOL', mostOut: '100000000', leastIn: '0' }];
    expect(under(asks, granted({ assets: enough })).effect).toBe('allow');
  });

  it('outlive a new blockhash and the same meaning in other bytes, not another request or policy', () => {
    const digest = (changed: Facts, policy = policyWith(asks)) =>
      evaluate(changed, policy, NOTHING_USED).envelopeDigest;
    const first = digest(rewritten(facts, (list) => list));
    const fresh = { blockhash: keyNamed('another blockhash').address };
    expect(digest(rewritten(facts, (list) => list, fresh))).toBe(first);
    expect(digest(rewritten(facts, (list) => list.toReversed()))).toBe(first);
    const { request } = facts.plan;
    const other = { ...facts.plan, request: { ...request, basisPointsArray: [6000, 4000] } };
    expect(digest({ ...facts, plan: other })).not.toBe(digest(facts));
    expect(
      digest(
        facts,
        policyWith((file) => ({ ...asks(file), id: 'other' })),
      ),
    ).not.toBe(first);
  });

  it('never turn a denial into an allow', () => {
    const view = { ...granted(), frozen: { since: 1, reason: 'x' } };
    expectDenied(under(asks, view), 'FROZEN');
  });
});
