/** Small fixed runs of `npm run fuzz -- policy` and `npm run benign`. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { countDenials } from './benign.ts';
import { fuzzPolicy } from './fuzz.ts';
import { LEGITIMATE_KINDS } from './legitimate.ts';
import { World } from './world.ts';

let world: World;
beforeAll(async () => {
  world = await World.start('benign');
});
afterAll(() => world.close());

it('every kind of legitimate request is decided as its template declares, and never denied or asked about in the sandbox', async () => {
  const { counts, examples } = await countDenials(world, 7, LEGITIMATE_KINDS.length);
  expect(examples).toEqual([]);
  expect(counts['sandbox deny']).toBeUndefined();
  expect(counts['sandbox require_approval']).toBeUndefined();
  expect(counts['sandbox allow']).toBeGreaterThanOrEqual(LEGITIMATE_KINDS.length);
  expect(counts['creator require_approval']).toBeGreaterThan(0);
});

it('no mutation of an accepted stage that harms the wallet or serves another request is allowed', async () => {
  const { counts, examples } = await fuzzPolicy({ seed: 101, count: 150 });
  expect(examples).toEqual([]);
  expect(counts).toMatchObject({ mutations: 150 });
  expect(counts.deny).toBeGreaterThan(100);
  expect(counts.allow).toBeGreaterThan(0);
});
