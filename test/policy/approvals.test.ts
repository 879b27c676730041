/** Approvals: when one is required, and their coverage. */

import { describe, expect, it } from 'vitest';
import type { DecisionInputs, LedgerView } from '../../src/policy/decide/types.ts';
import type { PolicyFile } from '../../src/policy/file/schema.ts';
import { approvalOfStage, coverage, withLines } from './approving.ts';
import { expectDenied, inputs, under } from './deciding.ts';
import { keyNamed } from './people.ts';
import { policyWith, rewritten } from './recorded/stages.ts';

describe('approvals', () => {
  const requireApproval = (file: PolicyFile): PolicyFile => ({
    ...file,
    rules: file.rules.map((rule) => ({ ...rule, effect: 'require_approval' as const })),
  });
  const granted = (change: Partial<NonNullable<LedgerView['approval']>> = {}): LedgerView => ({
    used: {},
    approval: {
      id: 'a1',
      messageSha256: under(requireApproval).messageSha256,
      expiresAt: inputs.time + 1000,
      ...change,
    },
  });

  it('are requested by a rule and allow the stage once given', () => {
    const askDecision = under(requireApproval);
    expect(askDecision).toMatchObject({
      effect: 'require_approval',
      reasonCodes: ['APPROVAL_REQUIRED'],
      class: 'policy',
    });
    expect(under(requireApproval, granted())).toMatchObject({ effect: 'allow', reasonCodes: [] });
  });

  it('count only for the approved stage and until they expire (T40)', () => {
    const late = under(requireApproval, granted({ expiresAt: inputs.time }));
    expect(late).toMatchObject({
      effect: 'require_approval',
      reasonCodes: ['APPROVAL_EXPIRED', 'APPROVAL_REQUIRED'],
    });
    // Of bytes other than those the ledger compared.
    expect(under(requireApproval, granted({ messageSha256: '00'.repeat(32) })).effect).toBe(
      'require_approval',
    );
  });

  it('cover a stage of the same intent that takes no more than was approved', () => {
    const [policy, approval] = [
      policyWith(requireApproval),
      approvalOfStage(inputs, policyWith(requireApproval)),
    ];
    expect(coverage(approval, inputs, policy)).toEqual({ covered: true });
    const other = { ...inputs.plan, intentKey: 'another intent' };
    expect(coverage(approval, { ...inputs, plan: other }, policy)).toMatchObject({ line: 'scope' });
    const paying = (by: bigint) =>
      withLines(approval, (line) =>
        line.id === 'pays' && line.why === 'deposit' ? { ...line, atMost: line.atMost + by } : line,
      );
    expect(coverage(paying(-1n), inputs, policy)).toMatchObject({ covered: false, line: 'pays' });
    expect(coverage(paying(1n), inputs, policy)).toEqual({ covered: true });
  });

  it('survive a new blockhash and an equivalent encoding, not another request or policy', () => {
    const policy = policyWith(requireApproval);
    const approval = approvalOfStage(
      rewritten(inputs, (list) => list),
      policy,
    );
    const covered = (changed: DecisionInputs, by = policy) => coverage(approval, changed, by);
    const blockhash = keyNamed('another blockhash').address;
    const fresh = rewritten(inputs, (list) => list, { blockhash });
    const { declared } = fresh.stage;
    for (const same of [
      { ...fresh, stage: { ...fresh.stage, declared: { ...declared, blockhash } } },
      rewritten(inputs, (list) => list.toReversed()),
    ])
      expect(covered(same)).toEqual({ covered: true });
    const { request } = inputs.plan;
    const other = { ...inputs.plan, request: { ...request, basisPointsArray: [6000, 4000] } };
    expect(covered({ ...inputs, plan: other })).toMatchObject({ line: 'scope' });
    const renamed = policyWith((file) => ({ ...requireApproval(file), id: 'other' }));
    expect(covered(inputs, renamed)).toMatchObject({ line: 'scope', key: 'policyHash' });
  });

  it('never turn a denial into an allow', () => {
    const view = { ...granted(), frozen: { since: 1, reason: 'x' } };
    expectDenied(under(requireApproval, view), 'FROZEN');
  });
});
