/**
 * The author of an unsupported program may replace its code at any time (T34). A policy can name the deployment slot of
 * the code it accepts; other code then counts as another program.
 */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deploy, deployUpgradeable } from '../../sandbox/programs/deploy.ts';
import { compiledProgram } from '../../sandbox/programs/standIns.ts';
import type { DecisionInputs } from '../../src/policy/decide/types.ts';
import { type LoadedPolicy, parsePolicy } from '../../src/policy/file/file.ts';
import { unsupportedProgram } from './people.ts';
import { keyNamed, World } from './world.ts';

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

describe('a program without a reader', () => {
  it('is looked up with the slot of its code and its upgrade authority (T34)', async () => {
    const { programs } = await calling();
    expect(programs).toContainEqual({ address: program, deployedSlot: SLOT, upgradeAuthority: author });
    // Immutable code has no deployment slot.
    expect((await calling(fixed)).programs).toContainEqual({ address: fixed });
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
});
