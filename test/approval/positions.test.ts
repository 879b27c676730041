/** Who holds the positions of a pool is part of what a person approves: no request names it, the bytes fix it. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeEnvelope, outside } from '../../src/approval/envelope.ts';
import { openedFacts } from '../../src/approval/question/opened.ts';
import type { Plan } from '../../src/plan/types.ts';
import { evaluate } from '../../src/policy/decide/evaluate.ts';
import { DAMM_V2_PROGRAM } from '../../src/sandbox/programs/addresses.ts';
import { NOTHING_USED } from '../policy/people.ts';
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
}, 120_000);
afterAll(() => real.close());

const asking = () =>
  real.world.policyWith((file) => ({
    ...file,
    rules: file.rules.map((rule) =>
      rule.operation === 'launch' ? { ...rule, effect: 'require_approval' as const } : rule,
    ),
  }));

/**
 * The stage that makes the pool, decided on; the stages before it have landed. With the bytes of another build in its place
 * it is decided as if the simulation had shown the same.
 */
async function decided(plan: Plan, other: Plan = plan) {
  const { stage = '', landed = [] } = launch;
  const facts = await real.world.facts(plan, stage, { earlierStages: landed });
  const { transaction } = stageOf(other, stage);
  const decision = evaluate({ ...facts, stage: { ...facts.stage, transaction } }, asking(), NOTHING_USED);
  return { id: stage, decision };
}

/** The second position of the pool is opened, filled and locked by another key than before. */
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
  it('covers the same pool built again, and asks again when another key would hold a position (T40)', async () => {
    const first = await real.plan(launch);
    const shown = await decided(first);
    expect(shown.decision.effect).toBe('require_approval');
    const holders = (shown.decision.opened ?? []).filter(({ what }) => what === 'position');
    expect(holders).toHaveLength(2);
    const { hash } = asking();
    const envelope = makeEnvelope(first, hash, [shown]);
    expect(envelope.expectation).toBeDefined();
    expect(outside(envelope, first, hash, await decided(await real.plan(launch)))).toBeUndefined();

    const other = await real.plan(launch, heldBy(JSON.parse(holders[0]?.says ?? '""')));
    const changed = await decided(first, other);
    expect(changed.decision.opened).toContainEqual({
      what: 'position',
      says: JSON.stringify(attacker.address),
    });
    expect(outside(envelope, first, hash, changed)).toBe('other_instructions');
  });
});

describe('a question about a launch into a pool', () => {
  it('says what a trade in that pool costs, which no request names, and asks again for another fee (T143)', async () => {
    const first = await real.plan(launch);
    const shown = await decided(first);
    const { opened = [] } = shown.decision;
    expect(openedFacts(opened).tradeFee).toBe('2%');
    // The fee is the first number of the pool's terms: parts of 1,000,000,000.
    const dear: Change = edited(DAMM_V2_PROGRAM, 0, withBytes(8, u64(990_000_000n)));
    const changed = await decided(first, await real.plan(launch, dear));
    expect(openedFacts(changed.decision.opened ?? []).tradeFee).toBe('99%');
    const { hash } = asking();
    expect(outside(makeEnvelope(first, hash, [shown]), first, hash, changed)).toBe('other_instructions');
  });
});
