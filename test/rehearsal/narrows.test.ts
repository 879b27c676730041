/** Rehearsals only narrow: no result, true or false, makes a decision wider than without one. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { deployUpgradeable } from '../../sandbox/programs/deploy.ts';
import { compiledProgram } from '../../sandbox/programs/standIns.ts';
import { systemTransfer } from '../../sandbox/service/build/tokens.ts';
import { evaluate } from '../../src/policy/decide/evaluate.ts';
import type { DecisionInputs } from '../../src/policy/decide/types.ts';
import type { LoadedPolicy } from '../../src/policy/file/file.ts';
import type { PolicyFile } from '../../src/policy/file/schema.ts';
import type { RehearsalFact } from '../../src/rpc/types.ts';
import fc from '../fc.ts';
import { unsupportedProgram } from '../policy/people.ts';
import { keyNamed, NOTHING_USED, World } from '../policy/world.ts';

const VENUE = keyNamed('venue').address;
const STRANGER = keyNamed('stranger').address;
let world: World;
let scenes: Readonly<Record<string, DecisionInputs>>;
beforeAll(async () => {
  world = await World.start('narrows');
  await world.sandbox.service.ready();
  const code = { slot: 77, authority: STRANGER };
  deployUpgradeable(world.sandbox.chain, VENUE, compiledProgram('harmless'), code);
  world.sandbox.advanceSlots(3);
  const inputs = async (call?: Parameters<World['plan']>[2]) => {
    const { mint } = await world.token();
    return world.inputs(
      await world.plan('feeShareConfig', world.configRequest(mint, [10_000]), call),
      'config-1',
    );
  };
  scenes = {
    'a plan that is read whole': await inputs(),
    'an unsupported instruction': await inputs((draft) => ({
      ...draft,
      instructions: [...draft.instructions, { programAddress: VENUE, accounts: [], data: Uint8Array.of(1) }],
    })),
    'an attack': await inputs((draft) => ({
      ...draft,
      instructions: [...draft.instructions, systemTransfer(world.wallet, STRANGER, 5_000_000n)],
    })),
  };
});
afterAll(() => world.close());

/** Policies that allow, require approval for, and deny the scenes. */
const POLICIES: Readonly<Record<string, (file: PolicyFile) => PolicyFile>> = {
  allows: (file) => file,
  asks: (file) => ({
    ...file,
    rules: file.rules.map((rule) => ({ ...rule, effect: 'require_approval' as const })),
  }),
  denies: (file) => ({
    ...file,
    rules: file.rules.map(({ id, operation, why }) => ({ id, operation, why, effect: 'deny' as const })),
  }),
};

const policyOf = (name: string, rehearsal: PolicyFile['rehearsal']): LoadedPolicy =>
  world.policyWith((file) => ({
    ...(POLICIES[name]?.(file) ?? file),
    rehearsal,
    programs: [...file.programs, unsupportedProgram(VENUE, { label: 'venue', instructions: ['01'] })],
  }));

const address = fc.constantFrom(VENUE, STRANGER, keyNamed('another').address);
const amount = fc.bigInt({ min: -(2n ** 64n), max: 2n ** 64n }).map(String);
const stage = fc.record({
  id: fc.constantFrom('config-1', 'launch'),
  units: fc.nat(),
  changes: fc.array(fc.record({ asset: fc.constantFrom('SOL', VENUE), by: amount }), { maxLength: 3 }),
  rights: fc.array(
    fc.record({
      ...{ account: address, right: fc.constantFrom('owner', 'rightToSpendFromTheTokenAccount') },
      ...{ before: fc.option(address), after: fc.option(address) },
    }),
    { maxLength: 2 },
  ),
});
/** Arbitrary results: true, wrong or invented. */
const result: fc.Arbitrary<RehearsalFact> = fc.oneof(
  fc.record({
    ...{ status: fc.constant('done' as const), slot: fc.nat() },
    ...{ stages: fc.array(stage, { maxLength: 4 }), programs: fc.dictionary(address, fc.nat({ max: 80 })) },
  }),
  fc
    .record({
      ...{ status: fc.constant('failed' as const), slot: fc.nat(), stageId: fc.constant('config-1') },
      ...{ place: fc.nat({ max: 9 }), error: fc.constantFrom('AccountNotFound', 'error 6001') },
    })
    .chain((failed) =>
      fc.option(address).map((program) => (program === null ? failed : { ...failed, program })),
    ),
  fc.record({
    status: fc.constant('impossible' as const),
    reason: fc.constantFrom('runtime', 'rpc', 'views', 'size', 'time', 'broken'),
  }),
);

const WIDTH = { deny: 0, require_approval: 1, allow: 2 } as const;

test('T190 no result of a rehearsal widens a decision', () => {
  const seen = new Map<string, number>();
  fc.assert(
    fc.property(
      fc.constantFrom(...Object.keys(scenes)),
      fc.constantFrom(...Object.keys(POLICIES)),
      fc.constantFrom<PolicyFile['rehearsal']>('require', 'when_possible', 'off'),
      result,
      (scene, named, setting, rehearsal) => {
        const inputs = scenes[scene];
        if (inputs === undefined) throw new Error(scene);
        const policy = policyOf(named, setting);
        const without = evaluate(inputs, policy, NOTHING_USED);
        const decided = evaluate({ ...inputs, rehearsal }, policy, NOTHING_USED);
        expect(WIDTH[decided.effect]).toBeLessThanOrEqual(WIDTH[without.effect]);
        // Failed checks without a rehearsal still fail, and a denial keeps its class.
        expect(decided.checks).toEqual(expect.arrayContaining(without.checks.filter(({ ok }) => !ok)));
        expect(decided.limits).toEqual(without.limits);
        if (without.effect === 'deny') expect(decided.class).toBe(without.class);
        const more = decided.reasonCodes.filter((code) => !without.reasonCodes.includes(code));
        expect(['', 'REHEARSAL_FAILED', 'REHEARSAL_MISSING', 'APPROVAL_REQUIRED']).toEqual(
          expect.arrayContaining(more),
        );
        const isNarrower = WIDTH[decided.effect] < WIDTH[without.effect];
        const how = `${without.effect}${isNarrower ? ` to ${decided.effect}` : ''}, ${rehearsal.status}`;
        seen.set(how, (seen.get(how) ?? 0) + 1);
      },
    ),
    { numRuns: 400 },
  );
  // All effects occurred, and some results narrowed them.
  for (const how of ['allow, done', 'require_approval, done', 'deny, done', 'allow to deny, failed'])
    expect(seen.get(how) ?? 0, how).toBeGreaterThan(0);
});
