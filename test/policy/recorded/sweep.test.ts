/**
 * The decision on every single change of recorded stages, as approved in approved/bytes.txt: one stage for each code
 * path of the policy.
 */
import { expect, it } from 'vitest';
import { approvedTexts, SWEPT } from './sweep.ts';

it('every single change in a recorded stage leads to the approved decision', async () => {
  await expect(approvedTexts(SWEPT)).toMatchFileSnapshot('approved/bytes.txt');
});
