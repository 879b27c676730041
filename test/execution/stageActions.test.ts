/** Actions for a whole plan, a single stage, and optional stages. */
import { describe, expect, it } from 'vitest';
import { gatePlan, nextClosing, stageAction } from '../../src/execution/run/next.ts';
import { PERSON_DENIED } from '../../src/execution/run/outcomes.ts';
import type { PlanNote } from '../../src/ledger/types.ts';
import { sampleDecision } from '../ledger/samples.ts';
import { CLAIMS, type Given, rowOf, snapshot, stageOf } from './snapshots.ts';

describe('a plan assessed as a whole', () => {
  const decided = (
    id: string,
    how: Parameters<typeof sampleDecision>[0] = {},
    state: 'none' | 'denied' = 'none',
  ) => ({
    stage: stageOf({ id }),
    decision: sampleDecision(how),
    approval: { state },
  });
  const allowed = decided('a');
  const refused = decided('b', {
    effect: 'deny',
    class: 'policy',
    reasonCodes: ['NO_RULE'],
  });
  const early = decided('c', { effect: 'deny', class: 'availability' });
  const askStage = decided('d', { effect: 'require_approval' });
  const secondAskStage = decided('e', { effect: 'require_approval' });
  const deniedByPerson = decided('f', { effect: 'require_approval' }, 'denied');

  it.each([
    ['starts if every stage is allowed', [allowed], undefined],
    ['starts if a stage is only temporarily blocked', [allowed, early], undefined],
    [
      'is denied for the first denied stage, before the owner is asked',
      [askStage, refused],
      { do: 'deny', decided: refused, note: { status: 'denied', code: 'NO_RULE' } },
    ],
    [
      'is asked about once, for all stages that need approval',
      [askStage, allowed, secondAskStage],
      { do: 'ask', about: [askStage, secondAskStage] },
    ],
    ['ends if the owner denied one of them', [askStage, deniedByPerson], { do: 'end', note: PERSON_DENIED }],
    [
      'starts without a denied optional stage',
      [allowed, { ...refused, stage: stageOf({ id: 'b', optional: true }) }],
      undefined,
    ],
  ])('%s', (_, previewed, held) => {
    expect(gatePlan(previewed)).toEqual(held);
  });
});

describe('a stage that is due', () => {
  const actionOf = (id: string, given: readonly Given[]) => {
    const { states } = snapshot(given);
    const state = states.find(({ stage }) => stage.id === id);
    return state && stageAction(state, states);
  };
  const setup: Given = { id: 'setup', kind: 'lookup_table_setup', row: 'confirmed', slot: 40 };

  it('is signed at once if nothing holds it', () => {
    expect(actionOf('a', [{ id: 'a' }])).toEqual({ do: 'sign' });
  });
  it('waits for the slot after the one that extended its lookup table', () => {
    expect(actionOf('a', [setup, { id: 'a', dependsOn: ['setup'] }])).toEqual({ do: 'sign', from: 41 });
  });
  it('waits its stated number of slots after its dependency', () => {
    const off: Given = { id: 'off', kind: 'lookup_table_deactivate', row: 'finalized', slot: 50 };
    const close: Given = { id: 'close', kind: 'lookup_table_close', dependsOn: ['off'], waitSlots: 513 };
    expect(actionOf('close', [setup, off, close])).toEqual({ do: 'sign', from: 563 });
  });
  it.each(['signed', 'sent', 'unknown'] as const)('is followed and not signed while it is %s', (row) => {
    const signed = { id: 'a', row };
    expect(actionOf('a', [signed])).toEqual({ do: 'track', row: rowOf(signed) });
  });
});

describe('optional stages', () => {
  const given: readonly Given[] = [
    { id: 'off', row: 'finalized', slot: 50 },
    { id: 'close', optional: true, dependsOn: ['off'], waitSlots: 513 },
  ];
  const complete: PlanNote = { status: 'complete', at: 0 };

  it('wait until the plan is complete', () => {
    expect(nextClosing(snapshot(given))).toBeUndefined();
    expect(nextClosing(snapshot(given, CLAIMS, [{ status: 'unknown', at: 0 }]))).toBeUndefined();
  });
  it('are due from their slot on', () => {
    expect(nextClosing(snapshot(given, CLAIMS, [complete]))).toEqual({ stageId: 'close', slot: 563 });
  });
  it('are finished once they landed or were abandoned', () => {
    const landed = snapshot(
      [given[0] ?? { id: 'off' }, { ...given[1], id: 'close', row: 'confirmed' }],
      CLAIMS,
      [complete],
    );
    expect(nextClosing(landed)).toBeUndefined();
    const lost: PlanNote = { stageId: 'close', status: 'skipped', at: 0 };
    expect(nextClosing(snapshot(given, CLAIMS, [complete, lost]))).toBeUndefined();
  });
});
