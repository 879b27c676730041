/** The owner of each position of a pool is part of the approval: no request names it, the transaction fixes it. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DAMM_V2_PROGRAM } from '../../sandbox/programs/addresses.ts';
import type { Plan } from '../../src/plan/types.ts';
import type { DecisionInputs } from '../../src/policy/decide/types.ts';
import { namesOf } from '../../src/presentation/statement/names.ts';
import { sentencesOf } from '../../src/presentation/statement/sentences.ts';
import type { Line, LineOf } from '../../src/statement/types.ts';
import { approvalOfStage, coverage } from '../policy/approving.ts';
import {
  attacker,
  type Change,
  edited,
  RealWorld,
  type Subject,
  u64,
  withBytes,
} from '../policy/realOperations.ts';
import { stageOf } from '../policy/world.ts';

let real: RealWorld;
let launch: Subject;
beforeAll(async () => {
  real = await RealWorld.start('positions');
  launch = await real.poolLaunch('launch-2');
});
afterAll(() => real.close());

const asking = () =>
  real.world.policyWith((file) => ({
    ...file,
    rules: file.rules.map((rule) =>
      rule.operation === 'launch' ? { ...rule, effect: 'require_approval' as const } : rule,
    ),
  }));

/**
 * Returns the inputs of the stage that creates the pool, after the stages before it landed. Bytes of another build keep
 * the simulation of this one.
 */
async function factsOf(plan: Plan, other: Plan = plan): Promise<DecisionInputs> {
  const { stage = '', landed = [] } = launch;
  const inputs = await real.world.inputs(plan, stage, { earlierStages: landed });
  return { ...inputs, stage: { ...inputs.stage, transaction: stageOf(other, stage).transaction } };
}
const NAMES = namesOf({ wallet: '', isOwn: () => false, label: () => undefined, tokens: new Map() });
const lineOf = <K extends Line['id']>(inputs: DecisionInputs, id: K): LineOf<K>[] =>
  approvalOfStage(inputs, asking()).statement.lines.filter((line): line is LineOf<K> => line.id === id);
const ownersIn = (inputs: DecisionInputs) =>
  lineOf(inputs, 'controls').flatMap(({ right, party }) => (right === 'owner' ? [party] : []));
const feeIn = (inputs: DecisionInputs): string =>
  lineOf(inputs, 'terms')
    .flatMap((line) => sentencesOf(line, NAMES))
    .map(({ text }) => text)
    .join(' ');

/** Opens, fills and locks the second position of the pool for another key. */
const heldBy =
  (was: string): Change =>
  (draft) => {
    const venue = draft.instructions.filter(({ programAddress }) => programAddress === DAMM_V2_PROGRAM);
    const second = [1, 2, 4].map((i) => venue[i]);
    return {
      ...draft,
      instructions: draft.instructions.map((each) =>
        second.includes(each)
          ? {
              ...each,
              accounts: each.accounts.map((account) =>
                account.address === was ? { ...account, address: attacker.address } : account,
              ),
            }
          : each,
      ),
      signers: [...draft.signers, attacker],
    };
  };

describe('an approved launch into a pool', () => {
  it('covers the rebuilt launch into the same pool and asks again if another key would hold a position (T40)', async () => {
    const first = await real.plan(launch);
    const shown = await factsOf(first);
    const holders = ownersIn(shown);
    expect(holders).toHaveLength(2);
    const approval = approvalOfStage(shown, asking());
    expect(coverage(approval, shown, asking())).toEqual({ covered: true });
    expect(coverage(approval, await factsOf(await real.plan(launch)), asking())).toEqual({ covered: true });

    const other = await real.plan(launch, heldBy(String(holders[0])));
    const changed = await factsOf(first, other);
    expect(coverage(approval, changed, asking()).covered).toBe(false);
  });
});

describe('a question about a launch into a pool', () => {
  it("states the pool's trading fee, which the request does not name, and asks again if it changes (T143)", async () => {
    const first = await real.plan(launch);
    const shown = await factsOf(first);
    expect(feeIn(shown)).toContain('2%');
    // The fee is the first number of the pool's terms, in parts of 1,000,000,000.
    const dear: Change = edited(DAMM_V2_PROGRAM, 0, withBytes(8, u64(990_000_000n)));
    const changed = await factsOf(first, await real.plan(launch, dear));
    const approval = approvalOfStage(shown, asking());
    expect(coverage(approval, shown, asking())).toEqual({ covered: true });
    expect(coverage(approval, changed, asking()).covered).toBe(false);
  });
});
