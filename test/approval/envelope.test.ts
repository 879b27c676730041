import { describe, expect, it } from 'vitest';
import { makeEnvelope, outside, sealEnvelope } from '../../src/approval/envelope.ts';
import type { AssetChange } from '../../src/policy/decide/types.ts';
import fc from '../fc.ts';
import { sampleDecision, samplePlan } from '../ledger/samples.ts';

const plan = samplePlan();
const POLICY = 'p'.repeat(64);
const decided = (id: string, changes: readonly AssetChange[], authorityChanges: readonly string[] = []) => ({
  id,
  decision: sampleDecision({ changes, authorityChanges }),
});
const sol = (out: string, arrives = '0'): AssetChange => ({ asset: 'SOL', out, in: arrives });
const shown = makeEnvelope(plan, POLICY, [
  decided('one', [sol('100'), { asset: 'mint', out: '0', in: '50' }], ['mint authority goes to the service']),
  decided('two', [sol('7')]),
]);
const of = (...stage: Parameters<typeof decided>) => outside(shown, plan, POLICY, decided(...stage));
const fine = [sol('100'), { asset: 'mint', out: '0', in: '50' }];

describe('an envelope', () => {
  it('shows per asset the most that leaves and the least that arrives, over all its stages', () => {
    expect(shown.assets).toEqual([
      { asset: 'SOL', mostOut: '107', leastIn: '0' },
      { asset: 'mint', mostOut: '0', leastIn: '50' },
    ]);
    expect(shown.authorityChanges).toEqual(['mint authority goes to the service']);
  });

  it('covers what was shown, less leaving, more arriving, fewer authorities changing', () => {
    expect(of('one', fine, ['mint authority goes to the service'])).toBeUndefined();
    expect(of('one', [sol('1'), { asset: 'mint', out: '0', in: '51' }])).toBeUndefined();
  });

  it.each([
    ['more leaves', 'one', [sol('101'), { asset: 'mint', out: '0', in: '50' }], []],
    ['something else leaves', 'one', [...fine, { asset: 'other', out: '1', in: '0' }], []],
    ['less arrives', 'one', [sol('100'), { asset: 'mint', out: '0', in: '49' }], []],
    ['nothing arrives', 'one', [sol('100')], []],
    ['another authority changes', 'one', fine, ['wallet is assigned to a program']],
    ['another stage uses up what this one may', 'two', [sol('8')], []],
  ])('does not cover a stage when %s', (_, id, changes, authorities) => {
    expect(of(id, changes, authorities)).toBe('other_effects');
  });

  it('does not cover another stage, intent, request, wallet, network, policy or other instructions (B71)', () => {
    expect(of('three', [])).toBe('other_stage');
    for (const other of [
      samplePlan({ intentKey: 'x' }),
      samplePlan({ network: 'x' }),
      samplePlan({ wallet: 'x' }),
      samplePlan({ request: { ...plan.request, digest: 'x' } }),
    ]) {
      expect(outside(shown, other, POLICY, decided('two', [sol('7')]))).toBe('other_plan');
    }
    expect(outside(shown, plan, 'other', decided('two', [sol('7')]))).toBe('other_policy');
    const rewritten = { id: 'two', decision: sampleDecision({ changes: [sol('7')], envelopeDigest: 'x' }) };
    expect(outside(shown, plan, POLICY, rewritten)).toBe('other_instructions');
  });

  it('covers a stage exactly when no amount is worse than shown', () => {
    const amounts = fc.record({ out: fc.bigInt(0n, 200n), arrives: fc.bigInt(0n, 100n) });
    fc.assert(
      fc.property(amounts, amounts, (before, now) => {
        const envelope = makeEnvelope(plan, POLICY, [
          decided('a', [sol(`${before.out}`, `${before.arrives}`)]),
        ]);
        const inside =
          outside(envelope, plan, POLICY, decided('a', [sol(`${now.out}`, `${now.arrives}`)])) === undefined;
        expect(inside).toBe(now.out <= before.out && now.arrives >= before.arrives);
      }),
    );
  });

  it('has one digest for one content', () => {
    expect(sealEnvelope(shown).digest).toBe(sealEnvelope(structuredClone(shown)).digest);
    expect(sealEnvelope({ ...shown, wallet: 'x' }).digest).not.toBe(sealEnvelope(shown).digest);
  });
});
