/**
 * The number of transactions and lookup tables of a run is bounded by its request, over every build of its plan and
 * whatever the rule allows (T175).
 */
import { describe, expect, it } from 'vitest';
import { createTable, extendTable, planTable } from '../../sandbox/service/build/lookupTable.ts';
import type { StageStatus } from '../../src/plan/types.ts';
import type { DecisionInputs } from '../../src/policy/decide/types.ts';
import type { SignedStage } from '../../src/statement/run.ts';
import { approvalOfStage, coverage } from './approving.ts';
import { keyNamed } from './people.ts';
import { answered } from './recorded/edits.ts';
import { decide, policyFor, rewritten, stage, stated, WALLET } from './recorded/stages.ts';

const setup = stage('custody table');
const claim = stage('holding claim');
const USED = 'tableUsed';

/** A setup of a table of its own. */
function table(nth: number): DecisionInputs['stage'] {
  const plan = planTable(
    WALLET,
    1_000 + nth,
    Array.from({ length: 3 }, (_, i) => keyNamed(`entry ${i}`).address),
  );
  const { stage: made } = rewritten(setup, () => [
    createTable(WALLET, plan.recentSlot),
    extendTable(plan.table, WALLET, plan.addresses),
  ]);
  return { ...made, id: `lookup-${nth}` };
}

const TABLES = Array.from({ length: 30 }, (_, nth) => table(nth));
const at = (status: StageStatus) => (each: DecisionInputs['stage']) => ({ stage: each, status });

/** A table stage of a claim, before its turn. */
const deciding = (
  one: DecisionInputs['stage'],
  siblings: DecisionInputs['siblings'],
  more: Partial<DecisionInputs> = {},
): DecisionInputs => ({
  ...claim,
  purpose: 'preview',
  stage: one,
  siblings,
  tables: [],
  simulation: { status: 'not_yet' },
  ...more,
});

/** The nth build of a claim that requests one more table each time. */
const round = (nth: number): DecisionInputs => {
  const [one = setup.stage, earlier] = [TABLES[nth], TABLES.slice(0, nth)];
  return deciding(one, [at('ready')(one)], { earlierStages: earlier.map(({ transaction }) => transaction) });
};

const over = (inputs: DecisionInputs) =>
  decide(inputs).checks.filter(({ code }) => code === 'RUN_OVER_BUDGET');

describe('lookup tables of a claim', () => {
  it('that no transaction of the plan uses are refused', () => {
    const [first = setup.stage] = TABLES;
    const plan = [...TABLES, claim.stage].map(at('ready'));
    expect(decide(deciding(first, plan))).toMatchObject({
      effect: 'deny',
      reasonCodes: expect.arrayContaining(['REQUEST_MISMATCH']),
    });
  });

  it('are created one at a time before the claim is built', () => {
    const [first = setup.stage, second = setup.stage] = TABLES;
    const failed = (inputs: DecisionInputs) => decide(inputs).checks.some(({ id, ok }) => id === USED && !ok);
    expect(failed(deciding(first, [first, second].map(at('ready'))))).toBe(true);
    expect(failed(deciding(first, [at('ready')(first)]))).toBe(false);
    expect(decide(deciding(first, [at('ready')(first)])).effect).toBe('allow');
  });

  it('ask beyond the budget, over all builds', () => {
    expect([0, 1, 2, 29].map((nth) => decide(round(nth)).effect)).toEqual([
      'allow',
      'allow',
      'require_approval',
      'require_approval',
    ]);
    expect(over(round(2))[0]).toMatchObject({ observed: '3', ok: false });
  });

  it('ask if one has more entries than the request and a transaction can name', () => {
    const filled = (extensions: number) => {
      const plan = planTable(WALLET, 900, []);
      const stages = Array.from({ length: extensions }, (_, nth) => ({
        ...rewritten(setup, () => [
          ...(nth === 0 ? [createTable(WALLET, plan.recentSlot)] : []),
          extendTable(
            plan.table,
            WALLET,
            Array.from({ length: 22 }, (__, i) => keyNamed(`entry ${nth} ${i}`).address),
          ),
        ]).stage,
        id: `lookup-${nth}`,
      }));
      const [first = setup.stage] = stages;
      return decide(deciding(first, stages.map(at('ready'))));
    };
    expect(filled(2).effect).toBe('allow');
    expect(filled(3).effect).toBe('require_approval');
  });

  it('are approved by number: additional ones ask again', () => {
    expect(decide(round(3)).effect).toBe('require_approval');
    const signedBefore = (nth: number) =>
      TABLES.slice(0, nth).map(
        ({ id }, i): SignedStage => ({
          ...{ stageId: id, state: 'landed', statement: stated(round(i)).statement },
        }),
      );
    const approval = approvalOfStage(round(3), policyFor(''), signedBefore(3));
    const covered = (nth: number) => coverage(approval, round(nth), policyFor(''), signedBefore(nth)).covered;
    expect(covered(3)).toBe(true);
    expect(covered(4)).toBe(false);
  });
});

describe('a launch', () => {
  it('is rebuilt after its table landed, with a new table, without a question', () => {
    const left = { stage: { ...table(60), id: 'left over' }, status: 'finalized' as const };
    const again = { ...setup, siblings: [left, ...setup.siblings] };
    expect(decide(again)).toMatchObject({ effect: 'allow', reasonCodes: [] });
  });

  it('creates no table beside the one it uses', () => {
    const beside = table(61);
    const { plan } = answered(setup, { launch: {} });
    const inputs = deciding(beside, [...setup.siblings, at('ready')(beside)], { plan });
    expect(decide(inputs).checks).toContainEqual(expect.objectContaining({ id: USED, ok: false }));
  });

  it('asks if it has more transactions than a launch takes', () => {
    const more = Array.from({ length: 4 }, (_, nth) => ({
      stage: { ...setup.stage, id: `more-${nth}`, kind: 'create_token' as const },
      status: 'finalized' as const,
    }));
    const of = (count: number) => over({ ...setup, siblings: [...setup.siblings, ...more.slice(0, count)] });
    expect(of(1)).toEqual([]);
    expect(of(2)).toContainEqual(expect.objectContaining({ observed: '7' }));
  });
});
