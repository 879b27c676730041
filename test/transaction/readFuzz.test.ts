import { expect, test } from 'vitest';
import { fuzzReader } from './fuzz.ts';

test('no mutation makes the reader crash, or accept what another decodes differently', () => {
  const result = fuzzReader({ seed: 3, count: 4000 });
  expect(result.examples).toEqual([]);
  expect(result).toMatchObject({ crashes: 0, disagreements: 0 });
  expect(result.accepted).toBeGreaterThan(400);
  expect(result.rejected).toBeGreaterThan(2000);
  expect(result.accepted + result.rejected).toBe(4000);
});
