/** Terms of a curve that favour others are refused or asked about, at the config and again at the launch (T63). */

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { altered, type ReadOf, rewrite } from '../../sandbox/attacks/service/drafts.ts';
import type { Plan } from '../../src/plan/types.ts';
import type { Decision, DecisionInputs } from '../../src/policy/decide/types.ts';
import { explain } from '../../src/presentation/decisions/explain.ts';
import { addEvidence, noEvidence } from '../../src/presentation/question/evidence.ts';
import { peopleOf } from '../../src/presentation/question/people.ts';
import { questionFacts } from '../../src/presentation/question/question.ts';
import { readAs } from '../../src/programs/account.ts';
import { poolConfig } from '../../src/programs/dbc/accounts.ts';
import { addressBytes } from '../../src/transaction/base58.ts';
import { approvalOfStage } from './approving.ts';
import { ALLOWED, attacker, type Change, RealWorld, short } from './realOperations.ts';

type Args = ReadOf<'dbc.createConfig'>['args'];
type Terms = (args: Args) => Partial<Args>;

let real: RealWorld;
beforeAll(async () => {
  real = await RealWorld.start('curve terms');
}, 240_000);
afterAll(() => real.close());

/** Changes the terms, or the leftover receiver, of the curve that a config creates. */
const curve =
  (terms: Terms, leftoverReceiver?: string): Change =>
  (draft) =>
    rewrite(draft, 'dbc.createConfig', (found) => [
      altered(found, {
        args: terms(found.args),
        ...(leftoverReceiver === undefined ? {} : { accounts: { leftoverReceiver } }),
      }),
    ]);

const dearer =
  (times: bigint, of = 1n): Terms =>
  ({ sqrtStartPrice, curve: points }) => ({
    sqrtStartPrice: (sqrtStartPrice * times) / of,
    curve: points.map(({ sqrtPrice, liquidity }) => ({
      sqrtPrice: (sqrtPrice * times) / of,
      liquidity: (liquidity * of) / times,
    })),
  });

const treasury = (inputs: DecisionInputs): DecisionInputs => ({
  ...inputs,
  serviceAddresses: [{ label: 'treasury', address: real.world.sandbox.service.keys.treasury.address }],
});

/** Decides on a config with a changed curve, lands the config, and decides on its launch. */
async function both(change?: Change) {
  const token = await real.world.token();
  const fields = real.world.configRequest(token.mint, [10_000], { flow: 'dbc' });
  const config = await real.plan({ endpoint: 'feeShareConfig', fields }, change);
  const id = config.stages[0]?.id ?? '';
  const made = real.world.decided(treasury(await real.world.inputs(config, id)));
  await real.world.land(config, id);
  const answer = Object(await real.world.call('feeShareConfig', fields));
  const configKey = String(answer.venueConfigKey);
  const plan = await real.plan(real.curveLaunch({ ...token, configKey }, 0));
  const inputs = treasury(await real.world.inputs(plan, plan.stages[0]?.id ?? ''));
  return { made, plan, inputs, launched: real.world.decided(inputs), configKey, mint: token.mint };
}

/** Returns every sentence of the question about a decision, the reason first. */
function questionTextOf(plan: Plan, inputs: DecisionInputs, decision: Decision): string {
  const evidence = noEvidence();
  addEvidence(inputs, evidence);
  const { policy } = real.world.policy;
  const { statement } = approvalOfStage(inputs, policyWithApprovals());
  return (
    explain(decision) +
    JSON.stringify(
      questionFacts({ plan, statement, decided: [decision], evidence, people: peopleOf(plan, policy, []) }),
    )
  );
}

const policyWithApprovals = () =>
  real.world.policyWith((file) => ({
    ...file,
    rules: file.rules.map((rule) => ({ ...rule, effect: 'require_approval' as const })),
  }));

const NEEDS_APPROVAL = /^require_approval; exact; TERM_DIFFERS/;

/** Terms the program accepts, each with the sentence about it. */
const GIVEN: Readonly<Record<string, readonly [Terms, RegExp]>> = {
  'nine tenths of the supply left over': [dearer(3n), /unsold supply: 90\.92% \(expected at most 25%\)/i],
  'half of the supply left over': [dearer(13n, 10n), /unsold supply: 51\.65% \(expected at most 25%\)/i],
  'half of what the curve took paid out': [
    ({ migrationFee }) => ({ migrationFee: { ...migrationFee, feePercentage: 50 } }),
    /share of the proceeds of the curve that is paid out: 50% \(expected 0%\)/i,
  ],
  'all fees for the creator': [
    () => ({ creatorTradingFeePercentage: 100 }),
    /share of the curve's fees that goes to the pool's creator: 100% \(expected 0%\)/i,
  ],
  'liquidity that can be taken out': [
    () => ({ partnerLiquidityPercentage: 90, partnerPermanentLockedLiquidityPercentage: 10 }),
    /liquidity that the fee claimer can withdraw: 90% \(expected 0%\)/i,
  ],
  'a fee that falls after the launch': [
    ({ poolFees }) => ({
      poolFees: {
        ...poolFees,
        baseFee: { ...poolFees.baseFee, firstFactor: 7, secondFactor: 1n, thirdFactor: 2_500_000n },
      },
    }),
    /fee schedule of the curve: [^;]*0\.25%[^;]* \(expected 2%\)/i,
  ],
  'fees in both tokens': [
    () => ({ collectFeeMode: 1 }),
    /asset of the curve fee: both tokens \(expected the quote token\)/i,
  ],
  'another fee after migration': [
    ({ migratedPoolFee }) => ({ migratedPoolFee: { ...migratedPoolFee, poolFeeBps: 1_000 } }),
    /fee after migration: 10% \(expected [^)]*%\)/i,
  ],
  'a creation fee': [
    () => ({ poolCreationFee: 5_000_000_000n }),
    /pool creation fee: 5 SOL \(expected 0 SOL\)/i,
  ],
};

describe('curve terms', () => {
  test.each(Object.entries(GIVEN))(
    'ask at the config and at the launch, whatever the rule allows: %s',
    async (_, [terms, sentence]) => {
      const { made, launched, plan, inputs } = await both(curve(terms));
      for (const decision of [made, launched]) {
        expect(short(decision)).toMatch(NEEDS_APPROVAL);
        expect(explain(decision)).toMatch(sentence);
      }
      expect(questionTextOf(plan, inputs, launched)).toMatch(sentence);
      expect(questionTextOf(plan, inputs, launched)).not.toContain('No stranger gains control.');
    },
  );

  test('of the service are allowed at the config and the launch, and the question names the receiver of the remainder', async () => {
    const { made, launched, plan, inputs } = await both();
    expect([short(made), short(launched)]).toEqual([ALLOWED, ALLOWED]);
    const decision = await real.world.decide(plan, plan.stages[0]?.id ?? '', policyWithApprovals());
    const questionText = questionTextOf(plan, inputs, decision);
    expect(questionText).toMatch(/gets the part of the supply that the curve does not sell\./);
    expect(questionText).toMatch(/About 18\.\d+% of the supply is not sold\./);
  });

  test('ask if an unknown address receives the remainder', async () => {
    const { made, launched, plan, inputs } = await both(curve(() => ({}), attacker.address));
    const why = `leftoverReceiver: ${attacker.address}`;
    for (const decision of [made, launched]) expect(short(decision)).toContain(why);
    expect(questionTextOf(plan, inputs, launched)).toContain(attacker.address);
  });

  test('ask in live mode if the receiver of the remainder is unknown', async () => {
    const { inputs } = await both();
    const live: DecisionInputs = { ...inputs, mode: 'live', serviceAddresses: [] };
    const decided = (each: DecisionInputs) => short(real.world.decided(each));
    expect(decided(live)).toMatch(/PARTY_UNKNOWN/);
    expect(decided(treasury(live))).not.toMatch(/PARTY_UNKNOWN/);
    expect(decided({ ...inputs, serviceAddresses: [] })).toBe(ALLOWED);
  });

  test('ask at a launch if this home requested no config, or another one', async () => {
    const { inputs } = await both();
    const { asked: own, ...withoutConfig } = inputs;
    const other = own && { ...own, configKey: attacker.address };
    for (const each of [withoutConfig, { ...inputs, ...(other && { asked: other }) }])
      expect(short(real.world.decided(each))).toMatch(/^require_approval;.*TERM_UNKNOWN/);
    expect(short(real.world.decided(inputs))).toBe(ALLOWED);
  });

  test('are pinned by the question about the launch', async () => {
    const { configKey, inputs } = await both(curve(dearer(3n)));
    const { lines } = approvalOfStage(inputs, policyWithApprovals()).statement;
    const pinned = lines.flatMap((line) => (line.id === 'earns' && line.from === configKey ? [line] : []));
    const account = inputs.accounts.find(({ address }) => address === configKey);
    const data = Buffer.from(account?.data ?? '', 'base64');
    const fields = readAs(poolConfig, { owner: account?.owner ?? '', data });
    expect(new Map(pinned.map(({ of, party }) => [of, party]))).toEqual(
      new Map([
        ['leftover', Object(fields).leftoverReceiver],
        ['fees', Object(fields).feeClaimer],
      ]),
    );
    expect(lines.find(({ id }) => id === 'terms')).toBeDefined();
  });

  test('with a mint authority are refused, at the config and at the launch', async () => {
    const { mint } = await real.world.token();
    const fields = real.world.configRequest(mint, [10_000], { flow: 'dbc' });
    for (const tokenUpdateAuthority of [3, 4]) {
      const plan = await real.plan(
        { endpoint: 'feeShareConfig', fields },
        curve(() => ({ tokenUpdateAuthority })),
      );
      expect(short(await real.world.decide(plan, plan.stages[0]?.id ?? ''))).toMatch(
        /^deny;.*REQUEST_MISMATCH matchesRequest noMoreTokens/,
      );
    }
    const { inputs, configKey } = await both();
    const accounts = inputs.accounts.map((each) => {
      if (each.address !== configKey) return each;
      const data = Buffer.from(each.data, 'base64');
      data[UPDATE_AUTHORITY] = 4;
      return { ...each, data: data.toString('base64') };
    });
    expect(short(real.world.decided({ ...inputs, accounts }))).toMatch(
      /^deny;.*REQUEST_MISMATCH noMoreTokens: claimer/,
    );
  });

  test('that leave an unknown mint authority after the launch are refused', async () => {
    const { inputs, mint } = await both();
    const { simulation } = inputs;
    if (simulation.status !== 'done') throw new Error('not simulated');
    const after = simulation.after.map((each) => {
      if (each.address !== mint) return each;
      const data = Buffer.from(each.data, 'base64');
      data.writeUInt32LE(1, 0);
      data.set(addressBytes(attacker.address), 4);
      return { ...each, data: data.toString('base64') };
    });
    expect(short(real.world.decided({ ...inputs, simulation: { ...simulation, after } }))).toMatch(
      /^deny;.*noStrangerMints/,
    );
    expect(short(real.world.decided(inputs))).toBe(ALLOWED);
  });

  test('with a creation fee count it as spent, and the launch executes', async () => {
    const plain = await both();
    const { launched, plan, inputs } = await both(curve(() => ({ poolCreationFee: 1_000_000_000n })));
    const out = (decision: Decision) =>
      BigInt(decision.changes.find(({ asset }) => asset === 'SOL')?.out ?? '0');
    expect(out(launched) - out(plain.launched)).toBe(1_000_000_000n);
    expect(short(launched)).toMatch(NEEDS_APPROVAL);
    expect(short(launched)).not.toContain('UNDECLARED_LOSS');
    expect(questionTextOf(plan, inputs, launched)).toContain('1 SOL to Meteora DBC');
  });
});

/** Offset of the update authority option in an account of terms. */
const UPDATE_AUTHORITY = 246;
