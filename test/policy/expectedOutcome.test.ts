/**
 * The outcome an owner approves comes from the request, this home's records and the chain, never from the service's
 * answer.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Plan } from '../../src/plan/types.ts';
import { evaluate } from '../../src/policy/decide/evaluate.ts';
import type { ExpectedOutcome } from '../../src/policy/decide/operations/expectedOutcome.ts';
import type { DecisionInputs } from '../../src/policy/decide/types.ts';
import { WSOL_MINT } from '../../src/transaction/programs.ts';
import { keyNamed, NOTHING_USED, World } from './world.ts';

let world: World;
beforeAll(async () => {
  world = await World.start('expected outcomes');
  await world.sandbox.service.ready();
  world.sandbox.chain.airdrop(world.wallet, 50_000_000_000n);
});
afterAll(() => world.close());

/** Returns the expected outcome of a question about these inputs. */
function outcomeOf(seen: DecisionInputs): ExpectedOutcome | undefined {
  const policy = world.policyWith((file) => ({
    ...file,
    rules: file.rules.map((rule) => ({ ...rule, effect: 'require_approval' as const })),
  }));
  return evaluate(seen, policy, NOTHING_USED).expectedOutcome;
}

const OTHER = keyNamed('said by the service').address;

/** Yields one changed answer for each of its fields, at any depth. */
function* changedAnswers(answer: unknown): Generator<unknown> {
  if (Array.isArray(answer)) {
    for (const [i, each] of answer.entries())
      for (const changed of changedAnswers(each)) yield answer.with(i, changed);
  } else if (typeof answer === 'object' && answer !== null) {
    for (const [name, value] of Object.entries(answer)) {
      yield { ...answer, [name]: undefined };
      for (const changed of changedAnswers(value)) yield { ...answer, [name]: changed };
    }
  } else {
    yield typeof answer === 'number' ? answer + 1 : typeof answer === 'boolean' ? !answer : OTHER;
  }
}

async function unchanged(plan: Plan, least: number): Promise<void> {
  world.sandbox.advanceSlots(2);
  for (const { id } of plan.stages) {
    const seen = await world.inputs(plan, id, { purpose: 'preview' });
    const expected = outcomeOf(seen);
    expect(expected, id).toBeDefined();
    let count = 0;
    for (const answer of changedAnswers(plan.answer)) {
      count += 1;
      const answered: DecisionInputs = { ...seen, plan: { ...seen.plan, answer: Object(answer) } };
      expect(JSON.stringify(outcomeOf(answered)), JSON.stringify(answer)).toBe(JSON.stringify(expected));
    }
    expect(count).toBeGreaterThanOrEqual(least);
  }
}

test('the expected outcome of a config in rounds does not depend on the answer', async () => {
  const { mint } = await world.token();
  const request = world.configRequest(mint, Array<number>(40).fill(250));
  await unchanged(await world.plan('feeShareConfig', request), 10);
});

test('the expected outcome of a curve launch, and of a swap, does not depend on the answer', async () => {
  const token = await world.token();
  const config = await world.plan(
    'feeShareConfig',
    world.configRequest(token.mint, [10_000], { flow: 'dbc' }),
  );
  for (const { id } of config.stages) await world.land(config, id);
  const launch = await world.plan('curveLaunchV2', {
    tokenMint: token.mint,
    ipfs: token.uri,
    wallet: world.wallet,
    quoteMint: WSOL_MINT,
    configKey: String(config.answer.venueConfigKey),
    feeShareConfig: String(config.answer.feeShareConfig),
    initialBuyQuoteRaw: '100000000',
  });
  await unchanged(launch, 10);
  for (const { id } of launch.stages) await world.land(launch, id);
  const quoted = await world.quoted({ inputMint: WSOL_MINT, outputMint: token.mint, amount: '50000000' });
  await unchanged(await world.plan('tradeSwap', quoted), 3);
});
