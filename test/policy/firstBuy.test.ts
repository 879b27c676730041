/** The price of a launch's first buy, which only a rule can bound, since it has no quote. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemTransfer } from '../../sandbox/service/build/tokens.ts';
import { evaluate } from '../../src/policy/decide/evaluate.ts';
import type { Decision, DecisionInputs } from '../../src/policy/decide/types.ts';
import type { LoadedPolicy } from '../../src/policy/file/file.ts';
import type { PolicyFile } from '../../src/policy/file/schema.ts';
import { remedyOf } from '../../src/presentation/decisions/explain.ts';
import { WSOL_MINT } from '../../src/transaction/programs.ts';
import { keyNamed, NOTHING_USED, World } from './world.ts';

let world: World;
beforeAll(async () => {
  world = await World.start('first buys');
});
afterAll(() => world.close());

const SOL = 1_000_000_000;
/** The supply of a token launched with the default configuration. */
const SUPPLY = 1_000_000_000_000_000n;

async function launchInputs(buy: number): Promise<DecisionInputs> {
  const { mint, uri, config } = await world.landedConfig();
  const fields = {
    ...{ tokenMint: mint, wallet: world.wallet, ipfs: uri, quoteMint: WSOL_MINT, feeShareConfig: config },
    initialBuyQuoteRaw: `${buy}`,
  };
  const plan = await world.plan('dammLaunchV2', fields);
  await world.land(plan, 'launch-1');
  return world.inputs(plan, 'launch-2', { earlierStages: [] });
}

/** The sandbox's policy with this maximum value of the whole supply in lamports, or without one. */
const valuing = (
  max: string | undefined,
  more: (file: PolicyFile) => PolicyFile = (file) => file,
): LoadedPolicy =>
  world.policyWith((file) =>
    more({
      ...file,
      rules: file.rules.map((rule) => {
        if (rule.operation !== 'launch') return rule;
        const { maxFirstBuyValue: _, ...plain } = rule;
        return max === undefined ? plain : { ...plain, maxFirstBuyValue: [{ quote: 'SOL', max }] };
      }),
    }),
  );

const checkOf = (decision: Decision) => decision.checks.filter(({ id }) => id === 'firstBuyShare');

describe('a first buy (T26, T64)', () => {
  it('is allowed up to the highest value of the whole supply and refused one unit above', async () => {
    const inputs = await launchInputs(SOL);
    const honest = evaluate(inputs, valuing(undefined), NOTHING_USED);
    const token = inputs.plan.request.tokenMint;
    const bought = BigInt(honest.changes.find(({ asset }) => asset === token)?.in ?? '0');
    // The whole supply at the price of this buy, rounded up: about 31 SOL for a pool that starts at 30.
    const value = (SUPPLY * BigInt(SOL) + bought - 1n) / bought;
    expect(Number(value) / SOL).toBeGreaterThan(30);
    expect(Number(value) / SOL).toBeLessThan(33);
    expect(evaluate(inputs, valuing(`${value}`), NOTHING_USED).effect).toBe('allow');
    const denied = evaluate(inputs, valuing(`${value - 1n}`), NOTHING_USED);
    expect(denied).toMatchObject({ effect: 'deny', reasonCodes: ['LIMIT_EXCEEDED'] });
    expect(remedyOf(denied)).toMatch(/^Ask again for a better price/);
    const [check] = checkOf(denied);
    const wholeTokens = (text = '') => Number(text.replace(` of ${token}`, '').replaceAll(',', ''));
    expect(check?.observed).toMatch(new RegExp(`^[\\d,.]+ of ${token}$`));
    expect(wholeTokens(check?.observed)).toBeLessThan(wholeTokens(check?.allowed));
  });

  it('may pay out any amount if no rule names a value in its quote', async () => {
    const inputs = await launchInputs(SOL);
    const decision = evaluate(inputs, valuing(undefined), NOTHING_USED);
    expect(decision.effect).toBe('allow');
    expect(checkOf(decision)).toEqual([]);
    const other = world.policyWith((file) => ({
      ...file,
      rules: file.rules.map((rule) =>
        rule.operation === 'launch'
          ? { ...rule, maxFirstBuyValue: [{ quote: keyNamed('quote').address, max: '1' }] }
          : rule,
      ),
    }));
    expect(evaluate(inputs, other, NOTHING_USED).effect).toBe('allow');
  });

  it('falls through to the next rule if the first does not match', async () => {
    const inputs = await launchInputs(SOL);
    const askPolicy = valuing('1', (file) => ({
      ...file,
      rules: [
        ...file.rules,
        {
          id: 'ask',
          operation: 'launch',
          effect: 'require_approval',
          feeClaimer: 'any',
          why: 'a dear launch',
        },
      ],
    }));
    expect(evaluate(inputs, askPolicy, NOTHING_USED)).toMatchObject({
      effect: 'require_approval',
      ruleId: 'ask',
    });
  });
});

describe('simulated outflows (T14, T15, T20)', () => {
  it('are compared with the request and with the transaction', async () => {
    // A visible payment that was not requested.
    const gift = systemTransfer(world.wallet, keyNamed('attacker').address, 5_000_000n);
    const { mint, uri } = await world.token();
    const config = await world.plan('feeShareConfig', world.configRequest(mint, [10_000], { flow: 'dbc' }));
    await world.run(config);
    const fields = { ipfs: uri, tokenMint: mint, wallet: world.wallet, initialBuyLamports: SOL };
    const curve = { ...fields, configKey: String(config.answer.venueConfigKey) };
    const plan = await world.plan('curveLaunch', curve, (draft) => ({
      ...draft,
      instructions: [...draft.instructions, gift],
    }));
    const inputs = await world.inputs(plan, plan.stages[0]?.id ?? '');
    const { checks, effect } = evaluate(inputs, world.policy, NOTHING_USED);
    expect(effect).toBe('deny');
    const inSol = (text = '') => Number(/^([\d,.]+) SOL$/.exec(text)?.[1]?.replaceAll(',', ''));
    const losses = checks.filter(({ id }) => id === 'leavesByBytes' || id === 'leavesAsAsked');
    expect(losses.filter(({ ok }) => !ok)).toMatchObject([{ id: 'leavesAsAsked', code: 'UNDECLARED_LOSS' }]);
    const { observed, allowed } = losses.find(({ ok }) => !ok) ?? {};
    // The stranger had no account, so its rent would be a deposit.
    expect(inSol(observed) - inSol(allowed)).toBeGreaterThan(0.004);
  });
});
