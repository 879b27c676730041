import { expect, it } from 'vitest';
import { LEGITIMATE_KINDS } from '../policy/legitimate.ts';
import { playApproved } from './asksOnce.ts';

it('asks once about an honest plan of every kind, across expired transactions, rebuilds and rounds', async () => {
  const { counts, examples } = await playApproved(3, 2 * LEGITIMATE_KINDS.length);
  expect(examples).toEqual([]);
  expect(counts).toMatchObject({ plans: 16, questions: 16 });
});
