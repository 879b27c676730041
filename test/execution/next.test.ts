/** Decision table of a run: plan state, actions so far, and next action. */
import { describe, expect, it } from 'vitest';
import {
  type Action,
  BEGINNING,
  nextAction,
  nextRound,
  type Run,
  stageAction,
} from '../../src/execution/run/next.ts';
import { FAILED, NEEDS_QUOTE, WAITING } from '../../src/execution/run/outcomes.ts';
import { CANCELLED } from '../../src/execution/sending/cancelled.ts';
import type { PlanSnapshot } from '../../src/execution/status.ts';
import type { Plan } from '../../src/plan/types.ts';
import { built, PATIENCE as LIMITED, situationOf } from './situations.ts';
import { CLAIMS, type Given, snapshot } from './snapshots.ts';
import { VISITED } from './visited.ts';

const PATIENCE = { askAgainMs: 500, askAgainMaxMs: 5_000, askAgainTimes: 20 };

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

const cancelled = (...given: Given[]) => snapshot(given, CLAIMS, [], true);

const TABLE: readonly [string, PlanSnapshot, Partial<Run>, Action][] = [
  [
    'a plan of which nothing is signed is looked at as a whole first',
    snapshot([{ id: 'a' }, { id: 'b' }]),
    {},
    { do: 'preview' },
  ],
  [
    'a plan that was looked at begins every stage that stands on nothing, beside each other',
    snapshot([{ id: 'a' }, { id: 'b' }, { id: 'c', dependsOn: ['a'] }]),
    { previewed: true },
    land('a', 'b'),
  ],
  [
    'a plan that was begun by an earlier process goes on without asking about the whole again',
    snapshot([
      { id: 'a', row: 'confirmed' },
      { id: 'b', dependsOn: ['a'] },
    ]),
    {},
    land('b'),
  ],
  ...(['signed', 'sent', 'unknown'] as const).map((row): (typeof TABLE)[number] => [
    `a ${row} stage is followed, and what stands on it waits`,
    snapshot([
      { id: 'a', row },
      { id: 'b', dependsOn: ['a'] },
    ]),
    {},
    land('a'),
  ]),
  ...(['confirmed', 'finalized'] as const).map((row): (typeof TABLE)[number] => [
    `what stands on a ${row} stage begins`,
    snapshot([
      { id: 'a', row },
      { id: 'b', dependsOn: ['a'] },
    ]),
    begun('a'),
    land('b'),
  ]),
  [
    'a stage is begun once in a round; its outcome is awaited',
    snapshot([{ id: 'a', row: 'sent' }]),
    at('a'),
    { do: 'await' },
  ],
  [
    'a stage that is free begins while another one is worked on',
    snapshot([
      { id: 'a', row: 'confirmed' },
      { id: 'b', row: 'sent' },
      { id: 'c', dependsOn: ['a'] },
    ]),
    { ...at('b'), begun: new Set(['a', 'b']) },
    land('c'),
  ],
  [
    'an optional stage is no part of the run',
    snapshot([
      { id: 'a', row: 'confirmed' },
      { id: 'close', optional: true, dependsOn: ['a'] },
    ]),
    begun('a'),
    { do: 'readBack' },
  ],
  [
    'when there is a reason to stop, nothing new begins and what is worked on is awaited',
    snapshot([{ id: 'a', row: 'sent' }, { id: 'b' }]),
    { ...at('a'), stop: STOP },
    { do: 'await' },
  ],
  [
    'when nothing is worked on any more, the run ends with its reason',
    snapshot([{ id: 'a', row: 'confirmed' }, { id: 'b' }]),
    { ...begun('a'), stop: STOP },
    { do: 'end', note: STOP },
  ],
  [
    'a stage that failed on chain keeps others from beginning',
    snapshot([{ id: 'a', row: 'failed' }, { id: 'b' }]),
    {},
    { do: 'end', note: FAILED },
  ],
  [
    'a stage that failed on chain lets what is worked on come to its end',
    snapshot([{ id: 'a', row: 'failed' }, { id: 'b', row: 'sent' }, { id: 'c' }]),
    { ...at('b'), begun: new Set(['a', 'b']) },
    { do: 'await' },
  ],
  [
    'a stage of an embedded chain that is gone is a failure',
    snapshot([{ id: 'a', row: 'chain_gone' }]),
    {},
    { do: 'end', note: FAILED },
  ],
  [
    'an optional stage that failed is none',
    snapshot([
      { id: 'a', row: 'finalized' },
      { id: 'close', optional: true, row: 'failed' },
    ]),
    begun('a'),
    { do: 'readBack' },
  ],
  [
    'a server that stops begins nothing, not even looking at the whole',
    snapshot([{ id: 'a' }]),
    { stopping: true },
    { do: 'leave' },
  ],
  [
    'a server that stops awaits what is worked on, which then ends by itself',
    snapshot([{ id: 'a', row: 'sent' }]),
    { ...at('a'), stopping: true },
    { do: 'await' },
  ],
  [
    'a server that stops says nothing of a plan that another start goes on with',
    snapshot([{ id: 'a', row: 'sent' }]),
    { ...begun('a'), stopping: true, stop: STOP },
    { do: 'leave' },
  ],
  [
    'a plan that was cancelled before anything was signed is over, and no person is asked',
    cancelled({ id: 'a' }),
    {},
    { do: 'end', note: CANCELLED },
  ],
  [
    'a plan that was cancelled has what is signed followed, and no further stage begun',
    cancelled({ id: 'a', row: 'sent' }, { id: 'b' }),
    {},
    land('a'),
  ],
  [
    'a cancelled plan awaits what it works on',
    cancelled({ id: 'a', row: 'sent' }, { id: 'b' }),
    at('a'),
    { do: 'await' },
  ],
  [
    'a plan that was cancelled after a stage of it landed signs none that stands on it',
    cancelled({ id: 'a', row: 'confirmed' }, { id: 'b', dependsOn: ['a'] }),
    { ...begun('a'), stop: STOP },
    { do: 'end', note: CANCELLED },
  ],
  [
    'a plan that was cancelled with all of it landed is read back as any other',
    cancelled({ id: 'a', row: 'confirmed' }),
    begun('a'),
    { do: 'readBack' },
  ],
  [
    'a cancelled plan asks for nothing in the place of dead bytes',
    cancelled({ id: 'a', row: 'expired' }),
    { previewed: true, found: 'noEffect' },
    { do: 'end', note: CANCELLED },
  ],
  [
    'before other bytes are asked for in the place of dead ones, the chain is looked at',
    snapshot([{ id: 'a', row: 'expired' }]),
    {},
    { do: 'lookAgain' },
  ],
  [
    'the same holds for bytes that were too old to be signed',
    snapshot([{ id: 'a' }]),
    { ...begun('a'), stale: true },
    { do: 'lookAgain' },
  ],
  [
    'what is dead and did nothing is asked for again',
    snapshot([{ id: 'a', row: 'expired' }]),
    { previewed: true, found: 'noEffect' },
    { do: 'rebuild' },
  ],
  [
    'a dead stage does not keep one beside it from landing first',
    snapshot([{ id: 'a', row: 'expired' }, { id: 'b' }]),
    { previewed: true },
    land('b'),
  ],
  [
    'dead bytes of an earlier revision are replaced by those of this one',
    snapshot([{ id: 'a', row: 'expired', of: 0 }], { ...CLAIMS, revision: 1 }),
    {},
    land('a'),
  ],
  [
    'a stage whose blockhash is refreshed is signed anew once its old bytes are dead',
    snapshot([{ id: 'a', row: 'expired', refresh: 'blockhash' }]),
    {},
    land('a'),
  ],
  [
    'a swap that is dead needs another quote',
    snapshot([{ id: 'swap', row: 'expired' }], SWAP),
    {},
    { do: 'end', note: NEEDS_QUOTE },
  ],
  [
    'a swap that was too old to be signed needs another quote',
    snapshot([{ id: 'swap' }], SWAP),
    { ...begun('swap'), stale: true },
    { do: 'end', note: NEEDS_QUOTE },
  ],
  [
    'a plan of which everything landed is read back from the chain',
    snapshot([
      { id: 'a', row: 'confirmed' },
      { id: 'b', row: 'finalized' },
    ]),
    begun('a', 'b'),
    { do: 'readBack' },
  ],
  [
    'an effect that is not to be seen yet is waited for',
    snapshot([{ id: 'a', row: 'confirmed' }]),
    { ...begun('a'), found: 'notSeen', open: OPEN },
    { do: 'wait', ms: 500 },
  ],
  [
    'each wait is twice as long',
    snapshot([{ id: 'a', row: 'confirmed' }]),
    { ...begun('a'), found: 'notSeen', open: OPEN, attempts: 2 },
    { do: 'wait', ms: 2_000 },
  ],
  [
    'no wait is longer than the longest',
    snapshot([{ id: 'a', row: 'confirmed' }]),
    { ...begun('a'), found: 'notSeen', open: OPEN, attempts: 10 },
    { do: 'wait', ms: 5_000 },
  ],
  [
    'after so many rounds the run ends with what is known',
    snapshot([{ id: 'a', row: 'confirmed' }]),
    { ...begun('a'), found: 'notSeen', open: OPEN, attempts: 20 },
    { do: 'end', note: OPEN },
  ],
  [
    'the service is not asked more often than that for bytes in the place of dead ones',
    snapshot([{ id: 'a', row: 'expired' }]),
    { previewed: true, found: 'noEffect', attempts: 20 },
    { do: 'end', note: WAITING },
  ],
  [
    'a config is asked for again once all it gave has landed: the service says when it is done',
    snapshot([{ id: 'config', row: 'confirmed' }], CONFIG),
    begun('config'),
    { do: 'rebuild' },
  ],
  [
    'a plan that needs more setup is asked for again once the setup has landed',
    snapshot([{ id: 'setup', row: 'confirmed' }], { ...CLAIMS, readiness: { status: 'setup_required' } }),
    begun('setup'),
    { do: 'rebuild' },
  ],
  [
    'a plan that needs more setup and has no stages yet is asked for again',
    snapshot([], { ...CLAIMS, readiness: { status: 'setup_required' } }),
    { previewed: true },
    { do: 'rebuild' },
  ],
  [
    'when the service has nothing new, it is asked again after a while',
    snapshot([{ id: 'config', row: 'confirmed' }], CONFIG),
    { ...begun('config'), found: 'nothingNew', attempts: 1 },
    { do: 'wait', ms: 1_000 },
  ],
];

describe('a run', () => {
  it.each(TABLE)('%s', (_, snapshot, run, action) => {
    expect(nextAction(snapshot, { ...BEGINNING, ...run }, PATIENCE)).toEqual(action);
  });

  it('begins every stage again in its next round and remembers how often it has asked', () => {
    const run: Run = {
      ...BEGINNING,
      ...begun('a'),
      stale: true,
      found: 'nothingNew',
      attempts: 3,
      open: OPEN,
    };
    expect(nextRound(run)).toEqual({ ...BEGINNING, previewed: true, attempts: 3, open: OPEN });
  });

  it('never signs a second time beside bytes that may still land, whatever happened before', () => {
    const inFlight = snapshot([{ id: 'a', row: 'unknown' }]);
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

describe('situations recorded from simulated lives', () => {
  it.each(Object.entries(VISITED).flatMap(([action, all]) => all.map((each) => [each, action] as const)))(
    '%s → %s',
    (situation, action) => {
      const { snapshot, run } = built(situation);
      expect(situationOf(snapshot, run)).toBe(situation);
      expect(nextAction(snapshot, run, LIMITED).do).toBe(action);
    },
  );
});
