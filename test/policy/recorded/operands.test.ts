/**
 * The decision on every changed account and argument of venue, router and fee share instructions in the recorded
 * stages, as approved in approved/operands.txt.
 */
import { expect, it } from 'vitest';
import { changedOperands } from './operands.ts';
import { STAGES, stage } from './stages.ts';
import { approvedTexts } from './sweep.ts';

it('every changed operand of a venue, a router or the fee share leads to the approved decision', async () => {
  const changes = (name: string) => changedOperands(stage(name));
  const changed = STAGES.filter((name) => changes(name).length > 0);
  await expect(approvedTexts(changed, changes)).toMatchFileSnapshot('approved/operands.txt');
});
