/** Normalization of handles: one per account, for every spelling. */
import { expect, test } from 'vitest';
import { readHandle } from '../../src/contract/index.ts';

const handle = (text: string, provider = 'twitter') => readHandle(provider, text);

test.each([
  ['twitter', 'elonmusk'],
  ['twitter', '@elonmusk'],
  ['twitter', ' elonmusk '],
  ['twitter', 'ElonMusk'],
  ['twitter', 'https://x.com/elonmusk'],
  ['twitter', 'http://www.twitter.com/ElonMusk/'],
  ['twitter', 'mobile.twitter.com/elonmusk?s=20'],
  ['twitter', 'x.com/elonmusk#top'],
  ['tiktok', 'https://www.tiktok.com/@elonmusk'],
  ['kick', 'kick.com/ElonMusk'],
  ['github', 'https://github.com/elonmusk'],
])('on %s parses %s as the handle elonmusk', (provider, text) => {
  expect(handle(text, provider)).toEqual({ handle: 'elonmusk' });
});

test('keeps characters that are part of a handle', () => {
  expect(handle('a_b_1')).toEqual({ handle: 'a_b_1' });
  expect(handle('@some.one_', 'tiktok')).toEqual({ handle: 'some.one_' });
  expect(handle('some-one', 'github')).toEqual({ handle: 'some-one' });
});

test.each([
  ['twitter', 'https://github.com/elonmusk', 'not where twitter profiles are'],
  ['twitter', 'https://x.com.evil.example/elonmusk', 'not where twitter profiles are'],
  ['twitter', 'https://x.com/elonmusk/status/1', 'handle of twitter'],
  ['twitter', 'https://x.com/', 'handle of twitter'],
  ['twitter', 'elon musk', 'handle of twitter'],
  ['twitter', '@@elonmusk', 'handle of twitter'],
  ['github', 'name@example.com', 'handle of github'],
  ['twitter', '  ', 'handle of twitter'],
])('on %s refuses %s, which names no profile there', (provider, text, why) => {
  expect(handle(text, provider)).toEqual({ problem: expect.stringContaining(why) });
});
