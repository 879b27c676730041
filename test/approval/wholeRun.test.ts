/**
 * One approval for a whole run: a config built in rounds is asked about once, with all claimers. Its stages draw on the
 * approval; anything beyond needs a new one.
 */
import { describe, expect, it } from 'vitest';
import { type DecidedStage, runPartsOf } from '../../src/approval/run.ts';
import type { Plan } from '../../src/plan/types.ts';
import { decide } from '../../src/policy/decide/evaluate.ts';
import { approvalOf } from '../../src/statement/aggregate.ts';
import { covers } from '../../src/statement/covers.ts';
import { runOf, type SignedStage } from '../../src/statement/run.ts';
import type { Approval, Line, Verdict } from '../../src/statement/types.ts';
import { NOTHING_USED } from '../policy/people.ts';
import { keyNamed, World } from '../policy/world.ts';
import { launchDecisions, launchPlan, samplePolicy } from './samples.ts';

const CLAIMERS = 40;

const asking = (world: World) =>
  world.policyWith((file) => ({
    ...file,
    rules: file.rules.map((rule) =>
      rule.operation === 'config' ? { ...rule, effect: 'require_approval' as const } : rule,
    ),
  }));

const request = (
  world: World,
  baseMint: string,
  change: (claimers: string[]) => string[] = (all) => all,
) => ({
  baseMint,
  payer: world.wallet,
  flow: 'damm_v2_direct',
  claimersArray: change([
    world.wallet,
    ...Array.from({ length: CLAIMERS - 1 }, (_, i) => keyNamed(`w${i}`).address),
  ]),
  basisPointsArray: Array(CLAIMERS).fill(10_000 / CLAIMERS),
});

const landedAs = ({ id, decision: { statement, pin } }: DecidedStage): SignedStage => ({
  ...{ stageId: id, state: 'landed', statement },
  ...(pin === undefined ? {} : { pin }),
});

/** Returns whether an approval covers each of these stages in turn: earlier ones landed, later ones are open. */
const verdicts = (
  approval: Approval,
  plan: Plan,
  hash: string,
  stages: readonly DecidedStage[],
  earlier: readonly DecidedStage[] = [],
): Verdict[] =>
  stages.map(({ id }, i) => {
    const signed = [...earlier, ...stages.slice(0, i)].map(landedAs);
    return covers(approval, runOf(runPartsOf(plan, hash, stages.slice(i), id), signed, 0));
  });

async function decided(world: World, plan: Plan): Promise<DecidedStage[]> {
  const policy = asking(world);
  const all: DecidedStage[] = [];
  for (const { id } of plan.stages) {
    all.push({
      id,
      decision: decide(await world.inputs(plan, id, { purpose: 'preview' }), policy, NOTHING_USED),
    });
  }
  return all;
}

describe('the question about a config of forty claimers', () => {
  it('covers the lookup table and every later round, names all claimers, and states the maximum of the whole run', async () => {
    const world = await World.start('whole run');
    try {
      await world.sandbox.service.ready();
      world.sandbox.chain.airdrop(world.wallet, 3_000_000_000n);
      const { mint } = await world.token();
      const configRequested = request(world, mint);
      const first = await world.plan('feeShareConfig', configRequested);
      expect(first.readiness?.status).toBe('setup_required');
      const hash = asking(world).hash;
      const before = await decided(world, first);
      expect(before.map(({ decision }) => decision.effect)).toEqual(before.map(() => 'require_approval'));
      const approval = approvalOf(runOf(runPartsOf(first, hash, before), [], 0), 1, []);
      const { lines } = approval.statement;
      const of = <K extends Line['id']>(id: K) =>
        lines.filter((line): line is Extract<Line, { id: K }> => line.id === id);
      expect(
        of('earns')
          .map(({ party }) => party)
          .sort(),
      ).toEqual([...configRequested.claimersArray].sort());
      expect(of('later')).toHaveLength(1);
      const most = of('pays').reduce((sum, { atMost }) => sum + atMost, 0n);
      expect(most).toBeGreaterThan(10_000_000n);
      for (const { decision } of before) {
        expect(decision.recipients.filter(({ role }) => role === 'claimer')).toHaveLength(CLAIMERS);
      }
      for (const verdict of verdicts(approval, first, hash, before))
        expect(verdict).toEqual({ covered: true });

      // Another claimer is another run and needs a new question, by another request and under the first one.
      const other = request(world, mint, ([own = '', ...rest]) => [
        own,
        ...rest.slice(1),
        keyNamed('other').address,
      ]);
      const changed = { ...first, request: { ...first.request, fields: other } };
      const others = await decided(world, changed);
      for (const verdict of verdicts(approval, changed, hash, others))
        expect(verdict).toMatchObject({ covered: false, line: 'scope' });
      for (const verdict of verdicts(approval, first, hash, others))
        expect(verdict).toMatchObject({ covered: false, line: 'earns' });

      // The second round has other stages of the same run, within the approval.
      for (const { id } of first.stages) await world.land(first, id);
      const second = { ...(await world.plan('feeShareConfig', configRequested)), planId: first.planId };
      const after = await decided(world, second);
      expect(after.length).toBeGreaterThan(0);
      const covering = verdicts(approval, second, hash, after, before);
      expect(covering).toEqual(covering.map(() => ({ covered: true })));
      // The approval covers all of them.
      const total = [...before, ...after].reduce(
        (sum, { decision }) => sum + BigInt(decision.changes.find(({ asset }) => asset === 'SOL')?.out ?? 0),
        0n,
      );
      expect(total).toBeLessThanOrEqual(most);
    } finally {
      await world.close();
    }
  });
});

describe('the question about a config for a curve that needs a lookup table first', () => {
  it("says that the curve needs another approval, and its approval does not cover the curve's terms", async () => {
    const world = await World.start('whole run of a curve');
    try {
      await world.sandbox.service.ready();
      world.sandbox.chain.airdrop(world.wallet, 3_000_000_000n);
      const { mint } = await world.token();
      const configRequested = { ...request(world, mint), flow: 'dbc' };
      const first = await world.plan('feeShareConfig', configRequested);
      expect(first.readiness?.status).toBe('setup_required');
      const hash = asking(world).hash;
      const before = await decided(world, first);
      const approval = approvalOf(runOf(runPartsOf(first, hash, before), [], 0), 1, []);
      const dependsOnCurve = ({ statement: { lines } }: Approval) =>
        lines.some((line) => line.id === 'later' && line.what === 'curve');
      expect(dependsOnCurve(approval)).toBe(true);
      for (const verdict of verdicts(approval, first, hash, before)) expect(verdict.covered).toBe(true);

      for (const { id } of first.stages) await world.land(first, id);
      const second = { ...(await world.plan('feeShareConfig', configRequested)), planId: first.planId };
      const after = await decided(world, second);
      expect(verdicts(approval, second, hash, after, before).some(({ covered }) => !covered)).toBe(true);
      const again = approvalOf(runOf(runPartsOf(second, hash, after), before.map(landedAs), 0), 1, []);
      expect(again.statement.lines.some(({ id }) => id === 'terms')).toBe(true);
      expect(dependsOnCurve(again)).toBe(false);
    } finally {
      await world.close();
    }
  });
});

describe('the question about a run with a denied stage', () => {
  const policy = samplePolicy();
  const plan = launchPlan('sandbox');
  const stages = launchDecisions(policy);
  const denied = stages.map(({ id, decision: { statement, ...decision } }) =>
    id === 'LAUNCH' ? { id, decision } : { id, decision: { ...decision, statement } },
  );
  const run = (of: readonly DecidedStage[]) => runOf(runPartsOf(plan, policy.hash, of), [], 0);
  const approved = (of: readonly DecidedStage[]) => approvalOf(run(of), 1, []);
  const isOpen = ({ statement }: Approval) => statement.lines.some(({ id }) => id === 'later');

  it('says that the run has more stages than its lines, and its approval does not cover the denied stage', () => {
    expect(isOpen(approved(denied))).toBe(true);
    expect(covers(approved(denied), run(denied))).toEqual({ covered: true });
    expect(covers(approved(denied), run(stages)).covered).toBe(false);
    expect(covers(approved(stages), run(denied)).covered).toBe(false);
  });

  it('does not mention more stages if every stage has its lines or the denied one is optional', () => {
    expect(isOpen(approved(stages))).toBe(false);
    expect(covers(approved(stages), run(stages))).toEqual({ covered: true });
    const optional = {
      ...plan,
      stages: plan.stages.map((stage) => (stage.id === 'LAUNCH' ? { ...stage, optional: true } : stage)),
    };
    expect(isOpen(approvalOf(runOf(runPartsOf(optional, policy.hash, denied), [], 0), 1, []))).toBe(false);
  });
});
