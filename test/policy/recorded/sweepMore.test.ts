/** The decision on every single change of the other recorded stages, as approved in approved/moreBytes.txt. */
import { expect, it } from 'vitest';
import { STAGES } from './stages.ts';
import { approvedTexts, SWEPT } from './sweep.ts';

/** Stages that say nothing here that another does not say as well. */
const ALIKE: readonly string[] = [
  'plain config',
  'config of many, second',
  'retired config',
  'curve launch v1',
];

it('every change of one thing in another recorded stage leads to the approved decision', async () => {
  const others = STAGES.filter((name) => !ALIKE.includes(name) && !SWEPT.includes(name));
  await expect(approvedTexts(others)).toMatchFileSnapshot('approved/moreBytes.txt');
});
