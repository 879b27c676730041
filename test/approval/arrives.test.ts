/** What an approved run has to bring: all that was shown to arrive, whichever of its stages are left. */
import { describe, expect, it } from 'vitest';
import { leastOf, makeEnvelope, outside } from '../../src/approval/envelope.ts';
import type { Plan } from '../../src/plan/types.ts';
import type { Expectation } from '../../src/policy/decide/operations/expectation.ts';
import { sampleDecision, samplePlan } from '../ledger/samples.ts';
import { keyNamed } from '../policy/people.ts';

const POLICY = 'p'.repeat(64);
const token = keyNamed('token').address;
const expectation: Expectation = {
  version: 1,
  operation: 'position_claim',
  wallet: samplePlan().wallet,
  mostOut: [],
  leastIn: [],
  mostDeposits: '0',
  mostFees: '0',
  rights: [],
  open: ['how much has been earned when it lands'],
};
const brings = (id: string, sol: number, tokens = 0) => ({
  id,
  decision: sampleDecision({
    expectation,
    changes: [
      { asset: 'SOL', out: '0', in: `${sol}` },
      { asset: token, out: '0', in: `${tokens}` },
    ],
  }),
});
/** The claims of these ids; nothing of them matters here but that they are still asked for. */
const claims = (...ids: string[]): Plan =>
  samplePlan({
    stages: ids.map((id) => ({
      ...{ id, kind: 'claim', optional: false, dependsOn: [], waitSlots: 0, transaction: '' },
      ...{ format: 'v0', requiredSigners: [], declared: {}, refresh: 'never' },
    })),
  });
const envelope = makeEnvelope(claims('one', 'two'), POLICY, [brings('one', 5, 70), brings('two', 3)]);
const covered = (plan: Plan, ...stage: Parameters<typeof brings>) =>
  outside(envelope, plan, POLICY, brings(...stage)) === undefined;

describe('an approved claim of two stages', () => {
  it('is held to the sum of what was shown, in every asset', () => {
    expect(envelope.expectation?.leastIn).toEqual([
      { asset: 'SOL', amount: '8' },
      { asset: token, amount: '70' },
    ]);
    expect(envelope.assets).toEqual(
      expect.arrayContaining([
        { asset: 'SOL', mostOut: '0', leastIn: '8' },
        { asset: token, mostOut: '0', leastIn: '70' },
      ]),
    );
  });

  it('covers each stage that brings what was shown of it, or more', () => {
    const plan = claims('one', 'two');
    expect(covered(plan, 'one', 5, 70)).toBe(true);
    expect(covered(plan, 'one', 6, 71)).toBe(true);
    expect(covered(plan, 'two', 3)).toBe(true);
  });

  it.each([
    ['one unit less', 'one', 4, 70],
    ['one unit less of another asset', 'one', 5, 69],
    ['only the other asset', 'one', 0, 70],
    ['nothing', 'two', 0, 0],
  ] as const)('does not cover a stage that brings %s', (_, id, sol, tokens) => {
    expect(covered(claims('one', 'two'), id, sol, tokens)).toBe(false);
  });

  it('asks the stages that are left for what a stage that is gone was to bring', () => {
    expect(leastOf(envelope, claims('one'), 'one')).toEqual(
      new Map([
        ['SOL', 8n],
        [token, 70n],
      ]),
    );
    expect(covered(claims('one'), 'one', 5, 70)).toBe(false);
    expect(covered(claims('one'), 'one', 8, 70)).toBe(true);
    expect(covered(claims('one', 'one#r1'), 'one#r1', 2)).toBe(false);
    expect(covered(claims('one', 'one#r1'), 'one#r1', 3)).toBe(true);
  });
});
