/** What small caches keep, and for what. */
import { expect, it } from 'vitest';
import { once, remember } from '../../src/base/remember.ts';

it('a map never grows past its limit, and the oldest entry goes first', () => {
  const map = new Map<string, number>();
  const added = ['a', 'b', 'c'].map((key, i) => remember(map, key, i, 2));
  expect(added).toEqual([0, 1, 2]);
  expect([...map]).toEqual([
    ['b', 1],
    ['c', 2],
  ]);
});

it('an answer is computed once for each object, and never given for another', () => {
  let asked = 0;
  const named = once(({ name }: { readonly name: string }) => `${name} ${++asked}`);
  const [one, same] = [{ name: 'one' }, { name: 'one' }];
  expect([named(one), named(same), named(one), named(same)]).toEqual(['one 1', 'one 2', 'one 1', 'one 2']);
});

it('what fails is asked again', () => {
  let asked = 0;
  const fails = once((_: object): string => {
    asked += 1;
    throw new Error('not yet');
  });
  const object = {};
  expect(() => fails(object)).toThrow('not yet');
  expect(() => fails(object)).toThrow('not yet');
  expect(asked).toBe(2);
});
