/** Maps of a limited size. */
import { expect, it } from 'vitest';
import { remember } from '../../src/base/remember.ts';

it('evicts the oldest entry of a map at its limit', () => {
  const map = new Map<string, number>();
  const added = ['a', 'b', 'c'].map((key, i) => remember(map, key, i, 2));
  expect(added).toEqual([0, 1, 2]);
  expect([...map]).toEqual([
    ['b', 1],
    ['c', 2],
  ]);
});
