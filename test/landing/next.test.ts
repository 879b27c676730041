/** The decisions of a run as a table: a plan as it stands, what the run did so far, and what it does next. */
import { describe, expect, it } from 'vitest';
import {
  type Action,
  BEGINNING,
  heldBack,
  nextAction,
  nextClosing,
  nextRound,
  type Run,
  stageAction,
} from '../../src/landing/run/next.ts';
import { FAILED, NEEDS_QUOTE, SAID_NO, WAITING } from '../../src/landing/run/outcomes.ts';
import { CANCELLED } from '../../src/landing/sending/cancelled.ts';
import { type PlanSnapshot, snapshotOf } from '../../src/landing/status.ts';
import type { JournalRow, JournalState, Mark } from '../../src/ledger/types.ts';
import type { Plan, Stage } from '../../src/plan/types.ts';
import { NETWORK, sampleDecision, samplePlan, WALLET } from '../ledger/samples.ts';

const PATIENCE = { askAgainMs: 500, askAgainMaxMs: 5_000, askAgainTimes: 20 };

/** A stage, and the state of its journal row where it is signed. */
interface Given extends Partial<Stage> {
  readonly id: string;
  readonly row?: JournalState;
  readonly slot?: number;
  /** The revision its row was signed in. */
  readonly of?: number;
}

function stageOf({ row: _row, slot: _slot, of: _of, ...stage }: Given): Stage {
  return {
    kind: 'claim',
    format: 'v0',
    dependsOn: [],
    transaction: '',
    declared: {},
    optional: false,
    refresh: 'never',
    waitSlots: 0,
    ...stage,
  };
}

const rowOf = ({ id, row = 'signed', slot, of = 0 }: Given): JournalRow => ({
  signature: `signature of ${id}`,
  planId: 'plan-1',
  revision: of,
  stageId: id,
  intentKey: 'intent of plan-1',
  wallet: WALLET,
  network: NETWORK,
  mode: 'live',
  transaction: '',
  messageSha256: 'a'.repeat(64),
  blockhash: '11111111111111111111111111111111',
  deadHeight: 200,
  policyHash: 'p'.repeat(64),
  decisionId: 'decision-1',
  state: row,
  ...(slot === undefined ? {} : { slot }),
  createdAt: 0,
  updatedAt: 0,
});

const CLAIMS: Partial<Plan> = {
  operation: 'position_claim',
  request: { endpoint: 'claims', fields: {}, digest: 'd'.repeat(64) },
};

/** A plan of claims, unless told otherwise, with these stages. */
function standing(given: readonly Given[], plan: Partial<Plan> = CLAIMS, marks: readonly Mark[] = []) {
  return snapshotOf({
    plan: samplePlan({ ...plan, stages: given.map(stageOf) }),
    rows: given.filter(({ row }) => row !== undefined).map(rowOf),
    marks,
    decisions: [],
    approvals: [],
  });
}

const SWAP: Partial<Plan> = { operation: 'swap' };
const CONFIG: Partial<Plan> = {
  operation: 'config',
  request: { endpoint: 'feeShareConfig', fields: {}, digest: 'd'.repeat(64) },
};
const STOP = { status: 'denied', code: 'NO_RULE', note: 'No rule allows it.' } as const;
const OPEN = { status: 'unknown', code: 'EFFECT_NOT_SEEN', note: 'Not seen.' } as const;

const land = (...stages: string[]): Action => ({ do: 'land', stages });
const begun = (...ids: string[]): Partial<Run> => ({ previewed: true, begun: new Set(ids) });
const at = (...ids: string[]): Partial<Run> => ({ ...begun(...ids), working: new Set(ids) });

const TABLE: readonly [string, PlanSnapshot, Partial<Run>, Action][] = [
  [
    'a plan of which nothing is signed is looked at as a whole first',
    standing([{ id: 'a' }, { id: 'b' }]),
    {},
    { do: 'preview' },
  ],
  [
    'a plan that was looked at begins every stage that stands on nothing, beside each other',
    standing([{ id: 'a' }, { id: 'b' }, { id: 'c', dependsOn: ['a'] }]),
    { previewed: true },
    land('a', 'b'),
  ],
  [
    'a plan that was begun by an earlier process goes on without asking about the whole again',
    standing([
      { id: 'a', row: 'confirmed' },
      { id: 'b', dependsOn: ['a'] },
    ]),
    {},
    land('b'),
  ],
  ...(['signed', 'sent', 'unknown'] as const).map((row): (typeof TABLE)[number] => [
    `a ${row} stage is followed, and what stands on it waits`,
    standing([
      { id: 'a', row },
      { id: 'b', dependsOn: ['a'] },
    ]),
    {},
    land('a'),
  ]),
  ...(['confirmed', 'finalized'] as const).map((row): (typeof TABLE)[number] => [
    `what stands on a ${row} stage begins`,
    standing([
      { id: 'a', row },
      { id: 'b', dependsOn: ['a'] },
    ]),
    begun('a'),
    land('b'),
  ]),
  [
    'a stage is begun once in a round; its outcome is awaited',
    standing([{ id: 'a', row: 'sent' }]),
    at('a'),
    { do: 'await' },
  ],
  [
    'a stage that is free begins while another one is worked on',
    standing([
      { id: 'a', row: 'confirmed' },
      { id: 'b', row: 'sent' },
      { id: 'c', dependsOn: ['a'] },
    ]),
    { ...at('b'), begun: new Set(['a', 'b']) },
    land('c'),
  ],
  [
    'an optional stage is no part of the run',
    standing([
      { id: 'a', row: 'confirmed' },
      { id: 'close', optional: true, dependsOn: ['a'] },
    ]),
    begun('a'),
    { do: 'readBack' },
  ],
  [
    'when there is a reason to stop, nothing new begins and what is worked on is awaited',
    standing([{ id: 'a', row: 'sent' }, { id: 'b' }]),
    { ...at('a'), stop: STOP },
    { do: 'await' },
  ],
  [
    'when nothing is worked on any more, the run ends with its reason',
    standing([{ id: 'a', row: 'confirmed' }, { id: 'b' }]),
    { ...begun('a'), stop: STOP },
    { do: 'end', note: STOP },
  ],
  [
    'a stage that failed on chain keeps others from beginning',
    standing([{ id: 'a', row: 'failed' }, { id: 'b' }]),
    {},
    { do: 'end', note: FAILED },
  ],
  [
    'a stage that failed on chain lets what is worked on come to its end',
    standing([{ id: 'a', row: 'failed' }, { id: 'b', row: 'sent' }, { id: 'c' }]),
    { ...at('b'), begun: new Set(['a', 'b']) },
    { do: 'await' },
  ],
  [
    'a stage of an embedded chain that is gone is a failure',
    standing([{ id: 'a', row: 'chain_gone' }]),
    {},
    { do: 'end', note: FAILED },
  ],
  [
    'an optional stage that failed is none',
    standing([
      { id: 'a', row: 'finalized' },
      { id: 'close', optional: true, row: 'failed' },
    ]),
    begun('a'),
    { do: 'readBack' },
  ],
  [
    'a server that stops begins nothing, not even looking at the whole',
    standing([{ id: 'a' }]),
    { stopping: true },
    { do: 'leave' },
  ],
  [
    'a server that stops awaits what is worked on, which then ends by itself',
    standing([{ id: 'a', row: 'sent' }]),
    { ...at('a'), stopping: true },
    { do: 'await' },
  ],
  [
    'a server that stops says nothing of a plan that another start goes on with',
    standing([{ id: 'a', row: 'sent' }]),
    { ...begun('a'), stopping: true, stop: STOP },
    { do: 'leave' },
  ],
  [
    'a plan that was cancelled before anything was signed is over, and no person is asked',
    standing([{ id: 'a' }]),
    { cancelled: true },
    { do: 'end', note: CANCELLED },
  ],
  [
    'a plan that was cancelled has what is signed followed, and no further stage begun',
    standing([{ id: 'a', row: 'sent' }, { id: 'b' }]),
    { cancelled: true },
    land('a'),
  ],
  [
    'a cancelled plan awaits what it works on',
    standing([{ id: 'a', row: 'sent' }, { id: 'b' }]),
    { ...at('a'), cancelled: true },
    { do: 'await' },
  ],
  [
    'a plan that was cancelled after a stage of it landed signs none that stands on it',
    standing([
      { id: 'a', row: 'confirmed' },
      { id: 'b', dependsOn: ['a'] },
    ]),
    { ...begun('a'), cancelled: true, stop: STOP },
    { do: 'end', note: CANCELLED },
  ],
  [
    'a plan that was cancelled with all of it landed is read back as any other',
    standing([{ id: 'a', row: 'confirmed' }]),
    { ...begun('a'), cancelled: true },
    { do: 'readBack' },
  ],
  [
    'a cancelled plan asks for nothing in the place of dead bytes',
    standing([{ id: 'a', row: 'expired' }]),
    { previewed: true, cancelled: true, found: 'noEffect' },
    { do: 'end', note: CANCELLED },
  ],
  [
    'before other bytes are asked for in the place of dead ones, the chain is looked at',
    standing([{ id: 'a', row: 'expired' }]),
    {},
    { do: 'lookAgain' },
  ],
  [
    'the same holds for bytes that were too old to be signed',
    standing([{ id: 'a' }]),
    { ...begun('a'), stale: true },
    { do: 'lookAgain' },
  ],
  [
    'what is dead and did nothing is asked for again',
    standing([{ id: 'a', row: 'expired' }]),
    { previewed: true, found: 'noEffect' },
    { do: 'rebuild' },
  ],
  [
    'a dead stage does not keep one beside it from landing first',
    standing([{ id: 'a', row: 'expired' }, { id: 'b' }]),
    { previewed: true },
    land('b'),
  ],
  [
    'dead bytes of an earlier revision are replaced by those of this one',
    standing([{ id: 'a', row: 'expired', of: 0 }], { ...CLAIMS, revision: 1 }),
    {},
    land('a'),
  ],
  [
    'a stage whose blockhash is refreshed is signed anew once its old bytes are dead',
    standing([{ id: 'a', row: 'expired', refresh: 'blockhash' }]),
    {},
    land('a'),
  ],
  [
    'a swap that is dead needs another quote',
    standing([{ id: 'swap', row: 'expired' }], SWAP),
    {},
    { do: 'end', note: NEEDS_QUOTE },
  ],
  [
    'a swap that was too old to be signed needs another quote',
    standing([{ id: 'swap' }], SWAP),
    { ...begun('swap'), stale: true },
    { do: 'end', note: NEEDS_QUOTE },
  ],
  [
    'a plan of which everything landed is read back from the chain',
    standing([
      { id: 'a', row: 'confirmed' },
      { id: 'b', row: 'finalized' },
    ]),
    begun('a', 'b'),
    { do: 'readBack' },
  ],
  [
    'an effect that is not to be seen yet is waited for',
    standing([{ id: 'a', row: 'confirmed' }]),
    { ...begun('a'), found: 'notSeen', open: OPEN },
    { do: 'wait', ms: 500 },
  ],
  [
    'each wait is twice as long',
    standing([{ id: 'a', row: 'confirmed' }]),
    { ...begun('a'), found: 'notSeen', open: OPEN, asked: 2 },
    { do: 'wait', ms: 2_000 },
  ],
  [
    'no wait is longer than the longest',
    standing([{ id: 'a', row: 'confirmed' }]),
    { ...begun('a'), found: 'notSeen', open: OPEN, asked: 10 },
    { do: 'wait', ms: 5_000 },
  ],
  [
    'after so many rounds the run ends with what is known',
    standing([{ id: 'a', row: 'confirmed' }]),
    { ...begun('a'), found: 'notSeen', open: OPEN, asked: 20 },
    { do: 'end', note: OPEN },
  ],
  [
    'the service is not asked more often than that for bytes in the place of dead ones',
    standing([{ id: 'a', row: 'expired' }]),
    { previewed: true, found: 'noEffect', asked: 20 },
    { do: 'end', note: WAITING },
  ],
  [
    'a config is asked for again once all it gave has landed: the service says when it is done',
    standing([{ id: 'config', row: 'confirmed' }], CONFIG),
    begun('config'),
    { do: 'rebuild' },
  ],
  [
    'a plan that needs more setup is asked for again once the setup has landed',
    standing([{ id: 'setup', row: 'confirmed' }], { ...CLAIMS, readiness: { status: 'setup_required' } }),
    begun('setup'),
    { do: 'rebuild' },
  ],
  [
    'a plan that needs more setup and has no stages yet is asked for again',
    standing([], { ...CLAIMS, readiness: { status: 'setup_required' } }),
    { previewed: true },
    { do: 'rebuild' },
  ],
  [
    'when the service has nothing new, it is asked again after a while',
    standing([{ id: 'config', row: 'confirmed' }], CONFIG),
    { ...begun('config'), found: 'nothingNew', asked: 1 },
    { do: 'wait', ms: 1_000 },
  ],
];

describe('a run', () => {
  it.each(TABLE)('%s', (_, snapshot, run, action) => {
    expect(nextAction(snapshot, { ...BEGINNING, ...run }, PATIENCE)).toEqual(action);
  });

  it('begins every stage once more in its next round, and remembers how often it asked', () => {
    const run: Run = { ...BEGINNING, ...begun('a'), stale: true, found: 'nothingNew', asked: 3, open: OPEN };
    expect(nextRound(run)).toEqual({ ...BEGINNING, previewed: true, asked: 3, open: OPEN });
  });

  it('never signs a second time beside bytes that may still land, whatever it did before', () => {
    const inFlight = standing([{ id: 'a', row: 'unknown' }]);
    for (const found of [undefined, 'noEffect', 'notSeen', 'nothingNew'] as const) {
      for (const stale of [false, true]) {
        const run: Run = { ...BEGINNING, stale, ...(found === undefined ? {} : { found }) };
        expect(nextAction(inFlight, run, PATIENCE)).toEqual(land('a'));
      }
    }
    const [state] = inFlight.states;
    expect(state && stageAction(state, inFlight.states).do).toBe('track');
  });
});

describe('a plan that is looked at as a whole', () => {
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
    explain: 'No rule.',
  });
  const early = decided('c', { effect: 'deny', class: 'availability' });
  const asks = decided('d', { effect: 'require_approval' });
  const asksToo = decided('e', { effect: 'require_approval' });
  const saidNo = decided('f', { effect: 'require_approval' }, 'denied');

  it.each([
    ['begins when every stage is allowed', [allowed], undefined],
    ['begins when a stage only lacks something now', [allowed, early], undefined],
    [
      'is denied for the first stage that would be, before a person is asked',
      [asks, refused],
      { do: 'deny', decided: refused, note: { status: 'denied', code: 'NO_RULE', note: 'No rule.' } },
    ],
    [
      'is asked about once, for all stages that need a person',
      [asks, allowed, asksToo],
      { do: 'ask', about: [asks, asksToo] },
    ],
    ['ends when the person said no to one of them', [asks, saidNo], { do: 'end', note: SAID_NO }],
    [
      'begins without an optional stage that would be denied',
      [allowed, { ...refused, stage: stageOf({ id: 'b', optional: true }) }],
      undefined,
    ],
  ])('%s', (_, previewed, held) => {
    expect(heldBack(previewed)).toEqual(held);
  });
});

describe('a stage whose turn has come', () => {
  const actionOf = (id: string, given: readonly Given[]) => {
    const { states } = standing(given);
    const state = states.find(({ stage }) => stage.id === id);
    return state && stageAction(state, states);
  };
  const setup: Given = { id: 'setup', kind: 'lookup_table_setup', row: 'confirmed', slot: 40 };

  it('is signed at once when nothing keeps it', () => {
    expect(actionOf('a', [{ id: 'a' }])).toEqual({ do: 'sign' });
  });
  it('waits for the slot after the one that extended its lookup table', () => {
    expect(actionOf('a', [setup, { id: 'a', dependsOn: ['setup'] }])).toEqual({ do: 'sign', from: 41 });
  });
  it('waits so many slots after what it stands on as it says', () => {
    const off: Given = { id: 'off', kind: 'lookup_table_deactivate', row: 'finalized', slot: 50 };
    const close: Given = { id: 'close', kind: 'lookup_table_close', dependsOn: ['off'], waitSlots: 513 };
    expect(actionOf('close', [setup, off, close])).toEqual({ do: 'sign', from: 563 });
  });
  it.each(['signed', 'sent', 'unknown'] as const)('is followed and not signed while it is %s', (row) => {
    const signed = { id: 'a', row };
    expect(actionOf('a', [signed])).toEqual({ do: 'track', row: rowOf(signed) });
  });
});

describe('the stages a plan is complete without', () => {
  const given: readonly Given[] = [
    { id: 'off', row: 'finalized', slot: 50 },
    { id: 'close', optional: true, dependsOn: ['off'], waitSlots: 513 },
  ];
  const complete: Mark = { status: 'complete', at: 0 };

  it('are left alone until the plan is complete', () => {
    expect(nextClosing(standing(given))).toBeUndefined();
    expect(nextClosing(standing(given, CLAIMS, [{ status: 'unknown', at: 0 }]))).toBeUndefined();
  });
  it('are due from their slot on', () => {
    expect(nextClosing(standing(given, CLAIMS, [complete]))).toEqual({ stageId: 'close', slot: 563 });
  });
  it('are over once they landed or were given up', () => {
    const landed = standing(
      [given[0] ?? { id: 'off' }, { ...given[1], id: 'close', row: 'confirmed' }],
      CLAIMS,
      [complete],
    );
    expect(nextClosing(landed)).toBeUndefined();
    const lost: Mark = { stageId: 'close', status: 'skipped', at: 0 };
    expect(nextClosing(standing(given, CLAIMS, [complete, lost]))).toBeUndefined();
  });
});
