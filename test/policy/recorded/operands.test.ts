/**
 * Every account and argument of the instructions of venues, routers and the fee share, changed by itself in the recorded
 * stages, and what is decided about each, as it was read and approved: the files in approved/operands/.
 */
import { describe, expect, it } from 'vitest';
import { changedOperands } from './operands.ts';
import { STAGES, stage } from './stages.ts';
import { approvedText } from './sweep.ts';

const CHANGED = STAGES.map((name) => ({ name, changes: changedOperands(stage(name)) })).filter(
  ({ changes }) => changes.length > 0,
);

describe('a recorded stage with one operand of a venue, a router or the fee share changed', () => {
  it.each(CHANGED)('$name', async ({ name, changes }) => {
    await expect(approvedText(name, changes)).toMatchFileSnapshot(`approved/operands/${name}.txt`);
  });
});
