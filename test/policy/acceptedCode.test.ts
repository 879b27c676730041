/**
 * The author of an unsupported program may replace its code at any time (T34). A policy can name the deployment slot of
 * the code it accepts; other code then counts as another program.
 */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deploy, deployUpgradeable } from '../../sandbox/programs/deploy.ts';
import { compiledProgram } from '../../sandbox/programs/standIns.ts';
import { evaluate } from '../../src/policy/decide/evaluate.ts';
import type { DecisionInputs } from '../../src/policy/decide/types.ts';
import { type LoadedPolicy, parsePolicy } from '../../src/policy/file/file.ts';
import { explain } from '../../src/presentation/decisions/explain.ts';
import { diffPolicies } from '../../src/review/diffPolicy.ts';
import { approvalOfStage, coverage } from './approving.ts';
import { unsupportedProgram } from './people.ts';
import { keyNamed, NOTHING_USED, World } from './world.ts';

const program = keyNamed('venue').address;
const fixed = keyNamed('fixed venue').address;
const author = keyNamed('author').address;
const SLOT = 77;
let world: World;
beforeAll(async () => {
  world = await World.start('accepted code');
  await world.sandbox.service.ready();
  deployUpgradeable(world.sandbox.chain, program, compiledProgram('harmless'), {
    slot: SLOT,
    authority: author,
  });
  deploy(world.sandbox.chain, fixed, compiledProgram('harmless'));
  world.sandbox.advanceSlots(3);
});
afterAll(() => world.close());

/** A policy that allows the program by its effects, for the code deployed in a slot or for any code. */
const accepting = (deployedSlot?: number, address = program): LoadedPolicy =>
  world.policyWith((file) => ({
    ...file,
    programs: [
      ...file.programs,
      unsupportedProgram(address, {
        label: 'venue',
        ...(deployedSlot === undefined ? {} : { deployedSlot }),
      }),
    ],
  }));

/** A config with an instruction of the program beside it. */
async function calling(address = program): Promise<DecisionInputs> {
  const { mint } = await world.token();
  const call = { programAddress: address, accounts: [], data: Uint8Array.of(1) };
  const request = world.configRequest(mint, [10_000]);
  const plan = await world.plan('feeShareConfig', request, (draft) => ({
    ...draft,
    instructions: [...draft.instructions, call],
  }));
  return world.inputs(plan, 'config-1');
}

const decided = (inputs: DecisionInputs, policy: LoadedPolicy) => evaluate(inputs, policy, NOTHING_USED);

describe('a program without a reader', () => {
  it('is looked up with the slot of its code and its upgrade authority (T34)', async () => {
    const { programs } = await calling();
    expect(programs).toContainEqual({ address: program, deployedSlot: SLOT, upgradeAuthority: author });
    // Immutable code has no deployment slot.
    expect((await calling(fixed)).programs).toContainEqual({ address: fixed });
  });

  it('is the accepted one while its slot is unchanged, and another after an upgrade (T34)', async () => {
    const before = await calling();
    expect(decided(before, accepting(SLOT)).effect).toBe('require_approval');
    deployUpgradeable(world.sandbox.chain, program, compiledProgram('harmless'), {
      slot: SLOT + 5,
      authority: author,
    });
    world.sandbox.advanceSlots(3);
    const decision = decided(await calling(), accepting(SLOT));
    expect(decision).toMatchObject({ effect: 'deny', class: 'security' });
    expect(decision.reasonCodes[0]).toBe('PROGRAM_NOT_ALLOWED');
    expect(explain(decision)).toContain(
      `not the accepted code (${program}: slot ${SLOT + 5}; allowed: slot ${SLOT})`,
    );
    expect(decision.checks).toContainEqual(
      expect.objectContaining({ id: 'acceptedCode', allowed: `slot ${SLOT}` }),
    );
    deployUpgradeable(world.sandbox.chain, program, compiledProgram('harmless'), {
      slot: SLOT,
      authority: author,
    });
    world.sandbox.advanceSlots(3);
  });

  it('is refused if a slot is named and none is visible', async () => {
    expect(decided(await calling(fixed), accepting(SLOT, fixed)).reasonCodes[0]).toBe('PROGRAM_NOT_ALLOWED');
    const { programs: _unknown, ...unseen } = await calling();
    expect(decided(unseen, accepting(SLOT)).reasonCodes[0]).toBe('PROGRAM_NOT_ALLOWED');
  });

  it('is recorded as upgradeable if the policy names no slot', async () => {
    const noted = (decision: ReturnType<typeof decided>) =>
      decision.checks.filter(({ id }) => id === 'replaceable');
    const decision = decided(await calling(), accepting());
    expect(noted(decision)).toEqual([
      expect.objectContaining({ ok: true, observed: `${program}: slot ${SLOT}` }),
    ]);
    expect(noted(decided(await calling(fixed), accepting(undefined, fixed)))).toEqual([]);
  });

  it('is part of the approval (T40)', async () => {
    const inputs = await calling();
    const approval = approvalOfStage(inputs, accepting());
    const replaced = {
      ...inputs,
      programs: [{ address: program, deployedSlot: SLOT + 1, upgradeAuthority: author }],
    };
    expect(coverage(approval, replaced, accepting())).toMatchObject({ covered: false, line: 'code' });
    expect(coverage(approval, { ...inputs }, accepting())).toEqual({ covered: true });
  });
});

describe('slots in a policy file', () => {
  it('apply to no program that is part of the chain', () => {
    const file = structuredClone(accepting(SLOT).policy);
    const programs = file.programs.map((entry) =>
      entry.binding === 'effects' ? entry : { ...entry, deployedSlot: 1 },
    );
    const parsed = parsePolicy(JSON.stringify({ ...file, programs }));
    expect('errors' in parsed && parsed.errors[0]).toMatchObject({
      path: 'programs[0].deployedSlot',
      message: 'System is part of the chain and cannot have a "deployedSlot".',
    });
  });

  it('are a change of their own when added, removed or moved', () => {
    const change = (from?: number, to?: number) => {
      const changes = diffPolicies(accepting(from).policy, accepting(to).policy);
      return changes.filter(({ part }) => part === 'programs').map(({ way, text }) => [way, text]);
    };
    expect(change(undefined, SLOT)).toEqual([
      ['narrower', expect.stringMatching(/only the code of slot 77/)],
    ]);
    expect(change(SLOT, undefined)).toEqual([['wider', expect.stringMatching(/any deployed code/)]]);
    expect(change(SLOT, SLOT + 1)).toEqual([
      ['other', expect.stringMatching(/slot 77 → only the code of slot 78/)],
    ]);
    expect(change(SLOT, SLOT)).toEqual([]);
  });
});
