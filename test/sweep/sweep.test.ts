/**
 * A fixed part of the sweep: every stage, every instruction appended, and some of them at the other placements. `npm
 * run sweep` runs all of it.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { evaluate } from '../../src/policy/decide/evaluate.ts';
import { NOTHING_USED } from '../policy/people.ts';
import { CATALOGUE } from './catalogue.ts';
import { sweptStages, sweptWorld } from './stages.ts';
import { entryOf, fire, isPart, PLACEMENTS, SHOTS } from './sweep.ts';

let world: Awaited<ReturnType<typeof sweptWorld>>;
beforeAll(async () => {
  world = await sweptWorld();
});
afterAll(() => world.real.close());

const PART = 12;
const sliced = SHOTS.filter(
  ({ candidate, placement }) =>
    placement === 'appended' || (CATALOGUE.indexOf(candidate) + PLACEMENTS.indexOf(placement)) % PART === 0,
);

it('covers the public interfaces: over ninety instructions of the service, more of stock programs, and routers', () => {
  const ofService = CATALOGUE.filter(({ name }) => /^(feeShare|dbc|damm)/.test(name));
  expect(ofService.length).toBeGreaterThanOrEqual(90);
  expect(CATALOGUE.length - ofService.length).toBeGreaterThanOrEqual(150);
  expect(CATALOGUE.some(({ name }) => /jupiter/i.test(name))).toBe(true);
  expect(new Set(CATALOGUE.map(({ name }) => name)).size).toBe(CATALOGUE.length);
  expect(Object.keys(world.owned.accounts).length).toBeGreaterThanOrEqual(18);
});

it('allows no instruction outside its operations, and none that leaves the wallet worse off', async () => {
  const [open, stages]: [string[], string[]] = [[], []];
  let [denied, parts] = [0, 0];
  for await (const stage of sweptStages(world)) {
    stages.push(stage.name);
    expect(evaluate(stage.honest, world.real.world.policy, NOTHING_USED).effect, stage.name).toBe('allow');
    for (const shot of sliced) {
      const { effect, open: why } = await fire(stage, shot);
      if (effect === 'deny') denied += 1;
      if (isPart(stage, shot)) parts += 1;
      if (why !== undefined) open.push(entryOf(stage, shot, why));
    }
  }
  expect(open).toEqual([]);
  expect(new Set(stages).size).toBeGreaterThanOrEqual(13);
  // Most shots fit, and some are instructions the operation includes.
  expect(denied).toBeGreaterThan(3_000);
  expect(parts).toBeGreaterThan(50);
});
