/** Display of an approval request after each outcome, answered or not. */
import { describe, expect, it } from 'vitest';
import type { ApprovalRow, PlanNote } from '../../src/ledger/types.ts';
import type { PlanStatus } from '../../src/plan/types.ts';
import { endingOf, type QuestionState } from '../../src/presentation/questionOutcome.ts';

const AT = Date.UTC(2026, 10, 21, 12);
const row = (more: Partial<ApprovalRow> = {}): ApprovalRow => ({
  id: 'approval-1',
  planId: 'plan-1',
  intentKey: 'intent',
  wallet: 'wallet',
  network: 'network',
  approvalDigest: '00',
  scopeText: '{}',
  policyHash: '00',
  stages: ['swap'],
  state: 'approved',
  channel: 'page',
  createdAt: AT,
  answeredAt: AT + 80_000,
  expiresAt: AT + 300_000,
  ...more,
});
const mark = (status: PlanStatus, code: string, more: Partial<PlanNote> = {}): PlanNote => ({
  status,
  code,
  at: AT,
  ...more,
});
const plan = (status: PlanStatus, more: Partial<QuestionState['plan']> = {}): QuestionState['plan'] => ({
  status,
  decision: { effect: 'deny', reasonCodes: [], explain: 'It was refused.' },
  stages: [],
  ...more,
});
const outcomeText = (state: Partial<QuestionState>): string => {
  const { chips, lines } = endingOf({
    row: row(),
    closed: undefined,
    frozen: false,
    plan: plan('ready'),
    planNote: undefined,
    ...state,
  });
  return [...chips.map(({ words }) => words), ...lines].join(' | ');
};

describe('the outcome of an approved question states', () => {
  it('that a plan under an earlier grant was not approved individually', () => {
    const complete = { plan: plan('complete'), planNote: mark('complete', 'LANDED') };
    expect(outcomeText({ ...complete, row: row({ channel: 'grant', grantId: 'approval-0' }) })).not.toMatch(
      /you approved it/i,
    );
    expect(outcomeText({ ...complete, row: row({ channel: 'grant', grantId: 'approval-0' }) })).not.toContain(
      'You approved |',
    );
    expect(outcomeText(complete)).toContain('You approved |');
  });

  it.each<[string, Partial<QuestionState>, RegExp]>([
    [
      'that a swap approved after its quote expired was not traded, and why',
      {
        plan: plan('failed', { expiresAt: new Date(AT + 60_000).toISOString() }),
        planNote: mark('failed', 'QUOTE_EXPIRED'),
      },
      /You approved \| Failed \| Your approval came after the quote of this swap had run out, so nothing was traded\. .*new quote/,
    ],
    [
      'that a quote expired despite a timely approval',
      {
        plan: plan('failed', { expiresAt: new Date(AT + 90_000).toISOString() }),
        planNote: mark('failed', 'QUOTE_EXPIRED'),
      },
      /The quote of this swap ran out before it landed, so nothing was traded/,
    ],
    [
      'that a step failed on the chain and its fee is spent',
      { plan: plan('failed'), planNote: mark('failed', 'FAILED_ON_CHAIN') },
      /Failed \| A step landed and failed on the chain: its fee is spent/,
    ],
    [
      'that the agent cancelled the plan',
      { plan: plan('failed'), planNote: mark('failed', 'CANCELLED') },
      /The agent cancelled the plan after your approval/,
    ],
    [
      'which wallet lacks how much SOL',
      {
        plan: plan('denied', {
          decision: {
            effect: 'deny',
            reasonCodes: ['SIMULATION_FAILED'],
            explain: 'It would fail: the wallet W has 0 SOL, and this takes up to 0.5 SOL.',
            remedy: 'A person can send the missing SOL to the wallet.',
          },
        }),
        planNote: mark('denied', 'SIMULATION_FAILED'),
      },
      /Not signed \| It would fail: the wallet W has 0 SOL, and this takes up to 0\.5 SOL\. \| A person can send/,
    ],
    [
      'that a freeze blocks it',
      {
        frozen: true,
        plan: plan('approval_required'),
        planNote: mark('approval_required', 'x', { ref: 'approval-1' }),
      },
      /Not signed \| Signing is frozen, so nothing is signed\. Lift the freeze/,
    ],
    [
      'that it continues on its own, without the agent',
      { plan: plan('approval_required'), planNote: mark('approval_required', 'x', { ref: 'approval-1' }) },
      /Goes on \| Countersign continues by itself\. If nothing changes, the server that asked has stopped/,
    ],
    [
      'that another question about it is open',
      { plan: plan('approval_required'), planNote: mark('approval_required', 'x', { ref: 'approval-2' }) },
      /Asks again \| It needs one more approval/,
    ],
    ['that it is complete', { plan: plan('complete') }, /Done \| Everything landed as you approved it/],
    [
      "that its result is unknown, with the plan's text",
      { plan: plan('unknown'), planNote: mark('unknown', 'IN_DOUBT', { note: 'Not known yet.' }) },
      /Not clear yet \| Not known yet\./,
    ],
    [
      'that stages landed before a refusal remain',
      {
        plan: plan('denied', {
          stages: [
            {
              id: 'one',
              kind: 'config',
              format: 'v0',
              dependsOn: [],
              status: 'confirmed',
              requiredSigners: [],
              missingSigners: [],
              feePayer: 'wallet',
              messageSha256: '00',
            },
          ],
        }),
      },
      /Not signed \| It was refused\. \| Steps that landed before stay/,
    ],
  ])('%s', (_, state, text) => {
    expect(outcomeText(state)).toMatch(text);
  });
});

describe('the outcome of an unapproved question states', () => {
  const { answeredAt: _, channel: __, ...unanswered } = row();
  it.each<[string, Partial<QuestionState>, RegExp]>([
    [
      'that it expired without an answer, and when',
      { row: { ...unanswered, state: 'expired' } },
      /^Expired \| The question expired at 2026-11-21 12:05:00Z without an answer\. Nothing was signed for it\. \| .*asked again/,
    ],
    [
      'that an approval expired before anything was signed under it',
      { row: row({ state: 'expired' }) },
      /^Expired \| This was approved at 2026-11-21 12:01:20Z, and the approval expired at 2026-11-21 12:05:00Z/,
    ],
    [
      'that it was denied, with the reason for the agent',
      { row: row({ state: 'denied', reason: 'Too dear.' }) },
      /^You denied \| Denied on the page at 2026-11-21 12:01:20Z\. Nothing is signed for it; the agent sees the denial, with your reason: “Too dear\.”\.$/,
    ],
    [
      'that the plan was cancelled meanwhile',
      { row: { ...unanswered, state: 'pending' }, closed: 'cancelled' },
      /^Over \| The plan was cancelled/,
    ],
    [
      'that a newer plan replaced it',
      { row: { ...unanswered, state: 'pending' }, closed: 'superseded' },
      /^Over \| A newer plan of the same request/,
    ],
    [
      'before they answer, that signing is frozen',
      { row: { ...unanswered, state: 'pending' }, frozen: true },
      /^Waiting for you \| Signing is frozen\. You can answer, but nothing is signed/,
    ],
  ])('%s', (_name, state, text) => {
    expect(outcomeText(state)).toMatch(text);
  });

  it('is answerable only while the plan needs the answer', () => {
    const pending: ApprovalRow = { ...unanswered, state: 'pending' };
    const open = (state: Partial<QuestionState>) =>
      endingOf({
        row: pending,
        closed: undefined,
        frozen: false,
        plan: plan('ready'),
        planNote: undefined,
        ...state,
      }).open;
    expect([open({}), open({ frozen: true }), open({ closed: 'cancelled' }), open({ row: row() })]).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });
});
