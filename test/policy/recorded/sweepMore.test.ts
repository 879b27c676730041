/** Every single change of the other recorded stages, as in sweep.test.ts. */
import { describe, expect, it } from 'vitest';
import { STAGES } from './stages.ts';
import { approvedText, SWEPT } from './sweep.ts';

/** Stages that say nothing here that another does not say as well. */
const ALIKE: readonly string[] = [
  'plain config',
  'config of many, second',
  'retired config',
  'curve launch v1',
];

describe('another recorded stage, whole and with one thing changed', () => {
  it.each(STAGES.filter((name) => !ALIKE.includes(name) && !SWEPT.includes(name)))('%s', async (name) => {
    await expect(approvedText(name)).toMatchFileSnapshot(`approved/${name}.txt`);
  });
});
