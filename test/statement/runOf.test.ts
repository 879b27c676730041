/** A run assembled from the ledger and the current build: its stages and their reservations. */
import { describe, expect, test } from 'vitest';
import { payKey } from '../../src/statement/aggregate.ts';
import { type OpenStage, type RunParts, runOf, type SignedStage } from '../../src/statement/run.ts';
import type { Line, LineOf, MadeAs, Pin, Why } from '../../src/statement/types.ts';
import { at, PAYEE, QUIET, SCOPE } from './chain.ts';

const pays = (atMost: bigint, why: Why = 'payment', to: string = PAYEE): LineOf<'pays'> => ({
  ...{ source: 'transaction', id: 'pays', asset: 'SOL', atMost, to, owner: to, why, returns: 'never' },
});
const fee = pays(5n, 'networkFee', 'validators');
const keyOf = (line: Line): string => (line.id === 'pays' ? payKey(line) : line.id);
const pin = (digest: string): Pin => ({ digest, programs: [{ address: QUIET, deployedSlot: '1' }] });

/** A journaled stage, with amounts as texts. */
const held = (
  stageId: string,
  state: SignedStage['state'],
  lines: readonly LineOf<'pays'>[],
  more: Partial<SignedStage> = {},
): SignedStage => {
  const statement = { lines: lines.map((line) => ({ ...line, atMost: `${line.atMost}` })), made: {} };
  return { stageId, state, statement, ...more };
};
const open = (
  stageId: string,
  lines: readonly Line[] = [pays(9n)],
  more: Partial<OpenStage> = {},
): OpenStage => ({
  ...{ stageId, decisionDigest: `d ${stageId}`, lines, made: {}, ...more },
});
const parts = (stages: readonly OpenStage[], more: Partial<RunParts> = {}): RunParts => ({
  ...{ scope: SCOPE, open: stages, optional: [], request: [], ...more },
});
const statesOf = (given: RunParts, signed: readonly SignedStage[] = []) =>
  runOf(given, signed, 7).stages.map(({ state, lines }) => [
    state,
    lines.map((line) => line.id === 'pays' && line.atMost),
  ]);

describe('the stages of a run', () => {
  test('are the signed ones, then the current one and the announced ones', () => {
    const signed = [held('a', 'landed', [pays(1n)]), held('b', 'inFlight', [pays(2n)])];
    expect(statesOf(parts([open('c', [pays(3n)]), open('d', [pays(4n)])], { stageId: 'c' }), signed)).toEqual(
      [
        ['landed', [1n]],
        ['inFlight', [2n]],
        ['this', [3n]],
        ['announced', [4n]],
      ],
    );
  });

  test('exclude an announced stage signed by another worker, and keep the current one', () => {
    const signed = [held('a', 'inFlight', [pays(1n)]), held('b', 'inFlight', [pays(2n)])];
    const stages = parts([open('a', [pays(3n)]), open('b', [pays(4n)])], { stageId: 'b' });
    expect(statesOf(stages, signed)).toEqual([
      ['inFlight', [1n]],
      ['inFlight', [2n]],
      ['this', [4n]],
    ]);
  });

  test('have no current stage in a preview', () => {
    expect(statesOf(parts([open('a'), open('b')]))).toEqual([
      ['announced', [9n]],
      ['announced', [9n]],
    ]);
  });

  test('exclude a stage that follows a complete plan, which is judged alone', () => {
    const signed = [held('a', 'landed', [pays(1n)]), held('x', 'landed', [pays(2n)])];
    const stages = [open('b', [pays(3n)]), open('x', [pays(4n)]), open('y', [pays(5n)])];
    const optional = ['x', 'y'];
    const of = (stageId?: string) =>
      statesOf(parts(stages, { optional, ...(stageId === undefined ? {} : { stageId }) }), signed);
    expect(of('b')).toEqual([
      ['landed', [1n]],
      ['this', [3n]],
    ]);
    expect(of('x')).toEqual([
      ['landed', [2n]],
      ['this', [4n]],
    ]);
    expect(of()).toEqual([
      ['landed', [1n]],
      ['announced', [3n]],
    ]);
  });

  test('carry the request and its time', () => {
    const given = parts([], { request: [pays(8n)], later: 'config' });
    expect(runOf(given, [], 7)).toEqual({
      ...{ scope: SCOPE, time: 7, stages: [], draws: new Map(), spentPins: [] },
      ...{ request: [pays(8n)], later: 'config' },
    });
    expect(runOf(parts([]), [], 7)).not.toHaveProperty('later');
  });
});

describe('the use of signed stages', () => {
  test('is summed by payment, landed or possibly landing', () => {
    const signed = [
      held('a', 'landed', [pays(1n), pays(10n, 'tip'), fee]),
      held('b', 'inFlight', [pays(2n), fee]),
    ];
    expect(runOf(parts([open('c')], { stageId: 'c' }), signed, 7).draws).toEqual(
      new Map([
        [keyOf(pays(0n)), 3n],
        [keyOf(pays(0n, 'tip')), 10n],
        [keyOf(fee), 10n],
      ]),
    );
  });

  test('is only the network fee of a failed stage', () => {
    const failed = held('a', 'failed', [pays(1n), fee], { pin: pin('m1') });
    const run = runOf(parts([open('a')], { stageId: 'a' }), [failed], 7);
    expect(run.draws).toEqual(new Map([[keyOf(fee), 5n]]));
    expect(run.spentPins).toEqual([]);
    expect(run.stages.map(({ state }) => state)).toEqual(['this']);
  });

  test('into an account created by the run counts for its role, whatever its address', () => {
    const made = (account: string): Record<string, MadeAs> => ({ [account]: { kind: 'pool', of: account } });
    const stages = ['one', 'two'].map((name) =>
      held(name, 'landed', [], {
        statement: { lines: [{ ...pays(0n, 'deposit', at(name)), atMost: '4' }], made: made(at(name)) },
      }),
    );
    const { draws } = runOf(parts([]), stages, 7);
    expect([...draws.values()]).toEqual([8n]);
  });
});

test('spends pins that landed or are in doubt, which stay with their stages', () => {
  const signed = (['landed', 'inFlight'] as const).map((state) =>
    held(state, state, [], { pin: pin(state) }),
  );
  const stages = parts([open('c', [], { pin: pin('c') }), open('d', [])], { stageId: 'c' });
  const run = runOf(stages, [...signed, held('none', 'landed', [])], 7);
  expect(run.spentPins).toEqual(['landed', 'inFlight']);
  expect(run.stages.map((stage) => stage.pin?.digest)).toEqual([
    'landed',
    'inFlight',
    undefined,
    'c',
    undefined,
  ]);
  for (const stage of run.stages.slice(2, 3)) expect(stage).not.toHaveProperty('pin');
});

test('of a settled stage is its balance change plus its own payments, without its network fee', () => {
  const lines = [pays(30n), pays(2n, 'tip'), { ...pays(4n), asset: 'token' }, fee];
  const settled = held('a', 'landed', lines, { moved: new Map([['SOL', -20n]]) });
  const [stage, other] = runOf(parts([]), [settled, held('b', 'landed', lines)], 7).stages;
  expect(stage?.realised).toEqual(
    new Map([
      ['SOL', 12n],
      ['token', 4n],
    ]),
  );
  expect(other).not.toHaveProperty('realised');
});
