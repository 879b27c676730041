/**
 * One approval for a whole run: a config that is built in rounds is asked about once, with everyone who earns; its stages
 * draw on what was approved, and whatever goes beyond it is asked for anew.
 */
import { describe, expect, it } from 'vitest';
import { makeEnvelope, outside, sealEnvelope } from '../../src/approval/envelope.ts';
import type { Plan } from '../../src/plan/types.ts';
import { evaluate } from '../../src/policy/decide/evaluate.ts';
import type { Decision } from '../../src/policy/decide/types.ts';
import { NOTHING_USED } from '../policy/people.ts';
import { keyNamed, World } from '../policy/world.ts';

const EARNERS = 40;

const asking = (world: World) =>
  world.policyWith((file) => ({
    ...file,
    rules: file.rules.map((rule) =>
      rule.operation === 'config' ? { ...rule, effect: 'require_approval' as const } : rule,
    ),
  }));

const request = (world: World, baseMint: string, change: (earners: string[]) => string[] = (all) => all) => ({
  baseMint,
  payer: world.wallet,
  flow: 'damm_v2_direct',
  claimersArray: change([
    world.wallet,
    ...Array.from({ length: EARNERS - 1 }, (_, i) => keyNamed(`w${i}`).address),
  ]),
  basisPointsArray: Array(EARNERS).fill(10_000 / EARNERS),
});

async function decided(world: World, plan: Plan): Promise<{ id: string; decision: Decision }[]> {
  const policy = asking(world);
  const all: { id: string; decision: Decision }[] = [];
  for (const { id } of plan.stages) {
    all.push({
      id,
      decision: evaluate(await world.facts(plan, id, { purpose: 'preview' }), policy, NOTHING_USED),
    });
  }
  return all;
}

describe('the question about a config of forty earners', () => {
  it('is one for the lookup table and every later round, names all earners, and states the most of the whole run', async () => {
    const world = await World.start('whole run');
    try {
      await world.sandbox.service.ready();
      world.sandbox.chain.airdrop(world.wallet, 3_000_000_000n);
      const { mint } = await world.token();
      const asked = request(world, mint);
      const first = await world.plan('feeShareConfig', asked);
      expect(first.readiness?.status).toBe('setup_required');
      const hash = asking(world).hash;
      const before = await decided(world, first);
      expect(before.map(({ decision }) => decision.effect)).toEqual(before.map(() => 'require_approval'));
      const envelope = makeEnvelope(first, hash, before);
      expect(envelope.expectation?.earners).toHaveLength(EARNERS);
      const sol = envelope.assets.find(({ asset }) => asset === 'SOL');
      expect(BigInt(sol?.mostOut ?? 0)).toBeGreaterThan(10_000_000n);
      for (const { decision } of before) {
        expect(decision.recipients.filter(({ role }) => role === 'claimer')).toHaveLength(EARNERS);
      }

      // The second round is other stages of the same run: inside of what was approved.
      for (const { id } of first.stages) await world.land(first, id);
      const second = { ...(await world.plan('feeShareConfig', asked)), planId: first.planId };
      const after = await decided(world, second);
      expect(after.length).toBeGreaterThan(0);
      for (const stage of after) expect(outside(envelope, second, hash, stage)).toBeUndefined();
      // What was approved is enough for all of it.
      const total = [...before, ...after].reduce(
        (sum, { decision }) => sum + BigInt(decision.changes.find(({ asset }) => asset === 'SOL')?.out ?? 0),
        0n,
      );
      expect(total).toBeLessThanOrEqual(BigInt(sol?.mostOut ?? 0));
      expect(sealEnvelope(makeEnvelope(second, hash, after)).digest).not.toBe('');

      // Another earner is another run: asked about anew.
      const other = request(world, mint, ([own = '', ...rest]) => [
        own,
        ...rest.slice(1),
        keyNamed('other').address,
      ]);
      const others = await decided(world, { ...first, request: { ...first.request, fields: other } });
      for (const stage of others) {
        expect(outside(envelope, first, hash, stage)).toBe('other_instructions');
      }
    } finally {
      await world.close();
    }
  }, 120_000);
});
