/** The price of a launch's first buy, which only a rule can bound: no quote names it. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { harmlessProgram } from '../../src/attacks/programs/harmlessProgram.ts';
import { evaluate } from '../../src/policy/decide/evaluate.ts';
import { FIRST_BUY } from '../../src/policy/decide/rules.ts';
import type { Decision, Facts } from '../../src/policy/decide/types.ts';
import type { LoadedPolicy } from '../../src/policy/file/file.ts';
import type { PolicyFile } from '../../src/policy/file/schema.ts';
import { deploy } from '../../src/sandbox/programs/deploy.ts';
import { systemTransfer } from '../../src/sandbox/service/build/tokens.ts';
import { WSOL_MINT } from '../../src/transaction/programs.ts';
import { unreadProgram } from './people.ts';
import { keyNamed, NOTHING_USED, type Tamper, World } from './world.ts';

let world: World;
beforeAll(async () => {
  world = await World.start('first buys');
  deploy(world.sandbox.chain, keyNamed('venue').address, harmlessProgram());
});
afterAll(() => world.close());

const SOL = 1_000_000_000;
/** Where a mint's supply stands in its data. */
const SUPPLY_AT = 36;

async function launchFacts(initialBuyQuoteAmount: number, tamper?: Tamper): Promise<Facts> {
  const { mint, uri } = await world.token();
  const request = { tokenMint: mint, wallet: world.wallet, ipfs: uri, quoteMint: WSOL_MINT };
  const plan = await world.plan('dammLaunch', { ...request, initialBuyQuoteAmount }, tamper);
  for (const { id, kind } of plan.stages) {
    if (kind === 'launch') return world.facts(plan, id);
    await world.land(plan, id);
  }
  throw new Error('no launch');
}

/** The sandbox's policy with this highest value of a whole supply, lamports; or with none. */
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

const checkOf = (decision: Decision) => decision.checks.filter(({ check }) => check === FIRST_BUY.check);

describe('a first buy (T26, T64)', () => {
  it('is allowed up to the highest value of the whole supply, and refused a lamport below', async () => {
    const facts = await launchFacts(SOL);
    // The sandbox's pools begin at 30 SOL for the whole supply; a buy of one SOL pays 31 on average, rounded down.
    expect(evaluate(facts, valuing(`${31 * SOL + 1}`), NOTHING_USED).effect).toBe('allow');
    const denied = evaluate(facts, valuing(`${31 * SOL}`), NOTHING_USED);
    expect(denied).toMatchObject({ effect: 'deny', reasonCodes: ['LIMIT_EXCEEDED'] });
    expect(denied.remedy).toMatch(/^Ask again for a better price/);
    const [check] = checkOf(denied);
    expect(BigInt(check?.observed ?? 0)).toBeLessThan(BigInt(check?.allowed ?? 0));
  });

  it('is a share of all tokens, of those minted before the launch as well', async () => {
    const facts = await launchFacts(SOL);
    const token = facts.plan.request.tokenMint;
    const at = facts.accounts.findIndex(({ address }) => address === token);
    const mint = facts.accounts[at];
    if (mint === undefined) throw new Error('no mint');
    const data = Buffer.from(mint.data, 'base64');
    // The service minted as many again as the pool will get, for itself: a share costs twice as much.
    data.writeBigUInt64LE(1_000_000_000_000_000n, SUPPLY_AT);
    const diluted = {
      ...facts,
      accounts: facts.accounts.with(at, { ...mint, data: data.toString('base64') }),
    };
    expect(evaluate(diluted, valuing(`${62 * SOL + 2}`), NOTHING_USED).effect).toBe('allow');
    const denied = evaluate(diluted, valuing(`${62 * SOL}`), NOTHING_USED);
    expect(denied).toMatchObject({ effect: 'deny', reasonCodes: ['LIMIT_EXCEEDED'] });
  });

  it('may bring any amount where no rule names a value in its quote', async () => {
    const facts = await launchFacts(SOL);
    const decision = evaluate(facts, valuing(undefined), NOTHING_USED);
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
    expect(evaluate(facts, other, NOTHING_USED).effect).toBe('allow');
  });

  it('passes to the next rule where the first does not hold', async () => {
    const facts = await launchFacts(SOL);
    const asks = valuing('1', (file) => ({
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
    expect(evaluate(facts, asks, NOTHING_USED)).toMatchObject({ effect: 'require_approval', ruleId: 'ask' });
  });

  it('is judged by the simulation where an instruction cannot be read', async () => {
    const venue = keyNamed('venue').address;
    const call = { programAddress: venue, accounts: [], data: Uint8Array.of(1) };
    const facts = await launchFacts(SOL, (draft) => ({
      ...draft,
      instructions: [...draft.instructions, call],
    }));
    const opaque = (file: PolicyFile): PolicyFile => ({
      ...file,
      programs: [...file.programs, unreadProgram(venue)],
    });
    expect(evaluate(facts, valuing(`${31 * SOL + 1}`, opaque), NOTHING_USED)).toMatchObject({
      effect: 'require_approval',
      binding: 'effects',
    });
    const dear = evaluate(facts, valuing(`${31 * SOL}`, opaque), NOTHING_USED);
    expect(dear).toMatchObject({ effect: 'deny', reasonCodes: ['LIMIT_EXCEEDED', 'APPROVAL_REQUIRED'] });
    expect(checkOf(dear)).toMatchObject([{ ok: false }]);

    const { simulation } = facts;
    if (simulation.status !== 'done') throw new Error(simulation.status);
    const nothing = { ...facts, simulation: { ...simulation, after: simulation.before } };
    expect(checkOf(evaluate(nothing, valuing(undefined, opaque), NOTHING_USED))).toMatchObject([
      { ok: false, observed: '0', allowed: '1' },
    ]);
  });
});

describe('what leaves in the simulation (T14, T15, T20)', () => {
  it('is held against the request as well as against the bytes', async () => {
    // The bytes say it plainly, and it was not asked for.
    const gift = systemTransfer(world.wallet, keyNamed('attacker').address, 5_000_000n);
    const facts = await launchFacts(SOL, (draft) => ({
      ...draft,
      instructions: [...draft.instructions, gift],
    }));
    const { checks, effect } = evaluate(facts, world.policy, NOTHING_USED);
    expect(effect).toBe('deny');
    const losses = checks.filter(({ check }) => check.startsWith('simulated: no more leaves'));
    expect(losses.filter(({ ok }) => !ok)).toMatchObject([
      { check: 'simulated: no more leaves than was asked for', code: 'UNDECLARED_LOSS' },
    ]);
    const { observed, allowed } = losses.find(({ ok }) => !ok) ?? {};
    expect(BigInt(observed?.split(' ')[0] ?? 0) - BigInt(allowed ?? 0)).toBe(5_000_000n);
  });
});
