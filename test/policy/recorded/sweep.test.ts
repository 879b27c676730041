/**
 * Every single change of recorded stages, and what is decided about it, as it was read and approved: the files in
 * approved/. A rule that changes shows here as the rows it changes, by name. One stage for each way the policy looks
 * at one; the others are in sweepMore.test.ts.
 */
import { describe, expect, it } from 'vitest';
import { approvedText, SWEPT } from './sweep.ts';

describe('a recorded stage, whole and with one thing changed', () => {
  it.each(SWEPT)('%s', async (name) => {
    await expect(approvedText(name)).toMatchFileSnapshot(`approved/${name}.txt`);
  });
});
