/** Rebuilds of plans. */
import { describe, expect, it } from 'vitest';
import type { Plan } from '../../src/plan/types.ts';
import { testAddress } from '../transaction/keys.ts';
import { base64, configAnswer, configRequest, wirePlan, wireStage } from './answers.ts';
import { config, plan, refuses } from './made.ts';

describe('a rebuilt plan', () => {
  const first = config(wirePlan([wireStage('config-1'), wireStage('config-2', { dependsOn: ['config-1'] })]));
  const again = (stages: unknown[], landed: string[]) =>
    plan('feeShareConfig', configRequest, configAnswer(wirePlan(stages)), {
      now: 2000,
      previous: { plan: first, landed: new Set(landed) },
    });
  const fresh = (id: string, more = {}) =>
    wireStage(id, { transaction: base64(id, testAddress('later')), ...more });

  it('keeps its id and its intent key and increments its revision', () => {
    const next = again([fresh('config-1'), fresh('config-2', { dependsOn: ['config-1'] })], []);
    expect(next).toMatchObject({
      planId: first.planId,
      intentKey: first.intentKey,
      revision: 1,
      createdAt: 1000,
    });
  });

  it('keeps landed stages and recognizes the same stage with a new blockhash (F21)', () => {
    const next = again([fresh('config-1'), fresh('config-2', { dependsOn: ['config-1'] })], ['config-1']);
    expect(next.stages.map(({ id, transaction }) => [id, transaction.text])).toEqual([
      ['config-1', base64('config-1')],
      ['config-2', base64('config-2', testAddress('later'))],
    ]);
  });

  it('may omit landed stages and still depend on them', () => {
    const next = again([fresh('config-2', { dependsOn: ['config-1'] })], ['config-1']);
    expect(next.stages.map(({ id }) => id)).toEqual(['config-1', 'config-2']);
  });

  it('gives a different stage under a used id a new id', () => {
    const other = wireStage('config-1', { transaction: base64('something else') });
    const next = again([other, fresh('x', { dependsOn: ['config-1'] })], ['config-1']);
    expect(next.stages.map(({ id, dependsOn }) => [id, dependsOn])).toEqual([
      ['config-1', []],
      ['config-1#r1', []],
      ['x', ['config-1#r1']],
    ]);
  });

  it('recognizes numbered stages by their content: of three claims only the two open ones come again', () => {
    const claims = (names: string[], blockhash: string, more = {}) =>
      plan(
        'deployerClaimTxs',
        { wallet: testAddress('wallet'), tokenMint: testAddress('mint') },
        { transactions: names.map((name) => ({ transaction: base64(name, blockhash) })) },
        more,
      );
    const three = claims(['one', 'two', 'three'], testAddress('earlier'));
    const idsOf = ({ stages }: Plan) => stages.map(({ id, dependsOn }) => [id, dependsOn]);
    for (const landed of [new Set<string>(), new Set(['claim-1'])]) {
      const open = claims(['two', 'three'], testAddress('later'), { previous: { plan: three, landed } });
      const kept = landed.has('claim-1') ? [['claim-1', []]] : [];
      expect(idsOf(open)).toEqual([...kept, ['claim-2', []], ['claim-3', ['claim-2']]]);
    }
  });

  it('for another request is refused', () => {
    const make = () =>
      plan(
        'feeShareConfig',
        { ...configRequest, basisPointsArray: [1] },
        configAnswer(wirePlan([wireStage('a')])),
        {
          previous: { plan: first, landed: new Set() },
        },
      );
    refuses(make, /another request/);
  });
});
