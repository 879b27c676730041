/** Effects of attacks in a simulation on the chain, independent of the decoded instructions. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { encodeInstruction } from '../../src/programs/instructions.ts';
import { TOKEN_PROGRAM } from '../../src/transaction/programs.ts';
import { World } from './world.ts';

let world: World;
beforeAll(async () => {
  world = await World.start('attacked simulation');
});
afterAll(() => world.close());

it('T1 the simulated effects alone refuse a wallet that is reassigned', async () => {
  const assign = encodeInstruction('system.assign', {
    accounts: { account: world.wallet },
    args: { owner: TOKEN_PROGRAM },
  });
  const { mint } = await world.token();
  const plan = await world.plan('feeShareConfig', world.configRequest(mint, [7000, 3000]), (draft) => ({
    ...draft,
    instructions: [...draft.instructions, assign],
  }));
  const decision = await world.decide(plan, 'config-1');
  expect(decision.effect).toBe('deny');
  const simulated = decision.checks.filter((check) => check.simulated && !check.ok);
  expect(simulated.map(({ code }) => code)).toContain('AUTHORITY_CHANGE');
  expect(simulated.map(({ observed }) => observed).join()).toMatch(/another program/);
});
