/** Promises and terms of launches (T63, T140, T141). */

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { altered, type ReadOf, read, rewrite } from '../../sandbox/attacks/service/drafts.ts';
import { ata, createTokenAccount } from '../../sandbox/service/build/tokens.ts';
import type { Plan, Stage } from '../../src/plan/types.ts';
import type { Decision, DecisionInputs } from '../../src/policy/decide/types.ts';
import { explain } from '../../src/presentation/decisions/explain.ts';
import { addEvidence, noEvidence } from '../../src/presentation/question/evidence.ts';
import { peopleOf } from '../../src/presentation/question/people.ts';
import { questionFacts } from '../../src/presentation/question/question.ts';
import { readAs } from '../../src/programs/account.ts';
import { poolConfig } from '../../src/programs/dbc/accounts.ts';
import type { EncodedInstruction } from '../../src/programs/instructions.ts';
import { TOKEN_PROGRAM, WSOL_MINT } from '../../src/transaction/programs.ts';
import { tokenAccount } from './accountFacts.ts';
import { approvalOfStage } from './approving.ts';
import { keyNamed } from './people.ts';
import { ALLOWED, attacker, type Change, RealWorld, type Subject, short } from './realOperations.ts';
import { stageOf } from './world.ts';

let real: RealWorld;
beforeAll(async () => {
  real = await RealWorld.start('launches promised');
});
afterAll(() => real.close());

const [LOCK, SEAL] = ['dammV2.permanentLockPosition', 'token.setAuthority'] as const;
const UNLOCKED = /^deny; exact; REQUEST_MISMATCH liquidityLocked: 0% locked/;

/** A stage split in two: one without instructions of these kinds, one with only these. */
async function cut(subject: Subject, ...kinds: readonly string[]): Promise<[Plan, Stage]> {
  const isOne = (each: EncodedInstruction) => kinds.includes(read(each).kind);
  const only = (one: boolean) =>
    real.plan(subject, (draft) => ({
      ...draft,
      instructions: draft.instructions.filter((each) => isOne(each) === one),
    }));
  const rest = await only(false);
  return [rest, { ...stageOf(await only(true), subject.stage ?? ''), id: 'apart' }];
}

const joined = (plan: Plan, more: Stage, before: string): Plan => ({
  ...plan,
  stages: plan.stages.flatMap((each) => (each.id === before ? [more, each] : [each])),
});
const after = (plan: Plan, more: Stage): Plan => {
  const last = plan.stages.at(-1)?.id ?? '';
  return { ...plan, stages: [...plan.stages, { ...more, dependsOn: [last] }] };
};

async function verdict({ landed }: Subject, plan: Plan, id: string, more: Partial<DecisionInputs> = {}) {
  const inputs = await real.world.inputs(plan, id, landed === undefined ? {} : { earlierStages: landed });
  return short(real.world.decided({ ...inputs, ...more }));
}

test('T141 an unsupported later stage does not count as the lock', async () => {
  const subject = await real.poolLaunch('launch-2', '100000000');
  const [plan, lock] = await cut(subject, LOCK);
  const unsupported = stageOf(
    await real.plan({ ...subject, stage: 'launch-3' }, (draft) => ({
      ...draft,
      instructions: draft.instructions.map((each) => ({ ...each, data: Uint8Array.of(...each.data, 7) })),
    })),
    'launch-3',
  );
  const hidden = after(plan, { ...unsupported, id: lock.id });
  expect(await verdict(subject, hidden, 'launch-2')).toMatch(UNLOCKED);
});

test('T141 a first buy of a token with a mint authority is refused, though the plan promises to revoke it', async () => {
  const subject = await real.poolLaunch('launch-1', '100000000');
  const [plan, seal] = await cut(subject, SEAL);
  const whole = after(plan, seal);
  // The creation of the token costs its rent and buys nothing.
  expect(await verdict(subject, whole, 'launch-1')).toBe(ALLOWED);
  await real.world.land(whole, 'launch-1');
  expect(await verdict(subject, whole, 'launch-2')).toMatch(
    /^deny; exact; REQUEST_MISMATCH partThere endOfMinting: 0 times/,
  );
});

test('a launch that revokes minting in a stage of its own, before the first buy, is allowed', async () => {
  const subject = await real.poolLaunch('launch-1', '100000000');
  const [plan, seal] = await cut(subject, SEAL);
  const inserted = joined(plan, { ...seal, dependsOn: ['launch-1'] }, 'launch-2');
  const whole: Plan = {
    ...inserted,
    stages: inserted.stages.map((each) =>
      each.id === 'launch-2' ? { ...each, dependsOn: ['launch-1', 'apart'] } : each,
    ),
  };
  // Before the first landing the plan is checked as a whole.
  const previewed = { purpose: 'preview', simulation: { status: 'not_yet' } } as const;
  expect(await verdict(subject, whole, 'launch-2', previewed)).toBe(ALLOWED);
  await real.world.land(whole, 'launch-1');
  await real.world.land(whole, 'apart');
  expect(await verdict(subject, whole, 'launch-2')).toBe(ALLOWED);
});

test('T140 a landed first buy counts, though another key now owns the paying account', async () => {
  const launch = real.curveLaunch(await real.onCurve());
  const own = ata(real.wallet, { mint: WSOL_MINT, tokenProgram: TOKEN_PROGRAM });
  const wrapped = { mint: WSOL_MINT, tokenProgram: TOKEN_PROGRAM, decimals: 9 };
  const key = keyNamed('wrapped for the first buy');
  const { onchain } = real.world.sandbox.service;
  const makes = createTokenAccount(
    real.wallet,
    key.address,
    wrapped,
    real.wallet,
    (bytes) => onchain.rent(bytes) + 100_000_000n,
  );
  /** Pays from an account of a key held by the service; without the launch this is a second first buy. */
  const paymentFromKey: Change = (draft) => {
    const isForOwnAccount = ({ accounts }: EncodedInstruction) =>
      accounts.length < 7 && accounts.slice(0, 2).some(({ address }) => address === own);
    const closes = (each: EncodedInstruction) => read(each).kind === 'token.closeAccount';
    const rest = draft.instructions.filter((each) => closes(each) || !isForOwnAccount(each));
    const moved = rest.map((each) => ({
      ...each,
      accounts: each.accounts.map((use) => (use.address === own ? { ...use, address: key.address } : use)),
    }));
    return { ...draft, instructions: [...makes, ...moved], signers: [...draft.signers, key] };
  };
  const first = await real.plan(launch, paymentFromKey);
  const id = first.stages[0]?.id ?? '';
  expect(await verdict(launch, first, id)).toBe(ALLOWED);
  const second = await real.plan(launch, (draft) => ({
    ...draft,
    instructions: draft.instructions.filter((each) => !read(each).kind.startsWith('dbc.initialize')),
  }));
  await real.world.land(first, id);
  const inputs = await real.world.inputs(second, id, { earlierStages: [stageOf(first, id).transaction] });
  // The message may name the account without an instruction that uses it, for example through a lookup table.
  const made = tokenAccount(key.address, { mint: WSOL_MINT, owner: attacker.address });
  const decided = real.world.decided({ ...inputs, accounts: [...inputs.accounts, made] });
  expect(short(decided)).toMatch(/^deny; exact; UNEXPECTED_INSTRUCTION instructionBelongs: #\d+ swap/);
});

type Args = ReadOf<'dbc.createConfig'>['args'];
type Terms = (args: Args) => Partial<Args>;

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
