/** What the terms of a curve give away is refused or asked about, at the config and again at the launch (T63). */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeEnvelope } from '../../src/approval/envelope.ts';
import { addEvidence, noEvidence } from '../../src/approval/question/evidence.ts';
import { peopleOf } from '../../src/approval/question/people.ts';
import { questionFacts } from '../../src/approval/question/question.ts';
import { altered, type ReadOf, rewrite } from '../../src/attacks/service/drafts.ts';
import type { Plan } from '../../src/plan/types.ts';
import {
  curveGives,
  leftoverBps,
  MOST_LEFT_BPS,
} from '../../src/policy/decide/operations/launch/curveGives.ts';
import type { Decision, Facts } from '../../src/policy/decide/types.ts';
import { readAs } from '../../src/programs/account.ts';
import { poolConfig } from '../../src/programs/dbc/accounts.ts';
import { addressBytes } from '../../src/transaction/base58.ts';
import { ALLOWED, attacker, type Change, RealWorld, short } from './realOperations.ts';

type Args = ReadOf<'dbc.createConfig'>['args'];
type Terms = (args: Args) => Partial<Args>;

let real: RealWorld;
beforeAll(async () => {
  real = await RealWorld.start('curve terms');
}, 240_000);
afterAll(() => real.close());

/** Other terms, or another receiver of what is left over, in the curve that a config makes. */
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

const treasury = (facts: Facts): Facts => ({
  ...facts,
  serviceAddresses: [{ label: 'treasury', address: real.world.sandbox.service.keys.treasury.address }],
});

/** The decision on a config whose curve is changed, the config landed, and the launch that takes it. */
async function both(change?: Change) {
  const token = await real.world.token();
  const fields = real.world.configRequest(token.mint, [10_000], { flow: 'dbc' });
  const config = await real.plan({ endpoint: 'feeShareConfig', fields }, change);
  const id = config.stages[0]?.id ?? '';
  const made = real.world.decided(treasury(await real.world.facts(config, id)));
  await real.world.land(config, id);
  const answer = Object(await real.world.call('feeShareConfig', fields));
  const configKey = String(answer.venueConfigKey);
  const plan = await real.plan(real.curveLaunch({ ...token, configKey }, 0));
  const facts = treasury(await real.world.facts(plan, plan.stages[0]?.id ?? ''));
  return { made, plan, facts, launched: real.world.decided(facts), configKey, mint: token.mint };
}

/** Every sentence of the question about a decision. */
function asked(plan: Plan, facts: Facts, decision: Decision): string {
  const evidence = noEvidence();
  addEvidence(facts, evidence);
  const { hash, policy } = real.world.policy;
  const envelope = makeEnvelope(plan, hash, [{ id: plan.stages[0]?.id ?? '', decision }]);
  return JSON.stringify(
    questionFacts({ plan, envelope, decided: [decision], evidence, people: peopleOf(plan, policy, []) }),
  );
}

const ASKED = /^require_approval; exact; TERM_DIFFERS/;

/** Terms the program lets through, and the sentence about each. */
const GIVEN: Readonly<Record<string, readonly [Terms, RegExp]>> = {
  'nine tenths of the supply left over': [dearer(3n), /About 90\.92% of the supply is never sold/],
  'half of the supply left over': [dearer(13n, 10n), /About 51\.65% of the supply is never sold/],
  'half of what the curve took paid out': [
    ({ migrationFee }) => ({ migrationFee: { ...migrationFee, feePercentage: 50 } }),
    /50% of what it took is paid out/,
  ],
  'all fees for the creator': [
    () => ({ creatorTradingFeePercentage: 100 }),
    /Of the curve's fees 100% go to the pool's creator/,
  ],
  'liquidity that can be taken out': [
    () => ({ partnerLiquidityPercentage: 90, partnerPermanentLockedLiquidityPercentage: 10 }),
    /The fee earner can take 90% of the pool's liquidity out\./,
  ],
  'a creation fee': [() => ({ poolCreationFee: 5_000_000_000n }), /Opening the pool costs 5 SOL more/],
};

describe('terms of a curve', () => {
  test.each(Object.entries(GIVEN))(
    'are asked about at the config and at the launch, whatever the rule allows: %s',
    async (_, [terms, sentence]) => {
      const { made, launched, plan, facts } = await both(curve(terms));
      for (const decision of [made, launched]) {
        expect(short(decision)).toMatch(ASKED);
        expect(short(decision)).toMatch(new RegExp(sentence.source.replace(/\\\.$/, '')));
      }
      expect(asked(plan, facts, launched)).toMatch(sentence);
      expect(asked(plan, facts, launched)).not.toContain('No other key gains control.');
    },
  );

  test('of the service are allowed at the config and the launch, and the question names who gets the rest', async () => {
    const { made, launched, plan, facts } = await both();
    expect([short(made), short(launched)]).toEqual([ALLOWED, ALLOWED]);
    const policy = real.world.policyWith((file) => ({
      ...file,
      rules: file.rules.map((rule) => ({ ...rule, effect: 'require_approval' as const })),
    }));
    const decision = await real.world.decide(plan, plan.stages[0]?.id ?? '', policy);
    expect(asked(plan, facts, decision)).toMatch(
      /gets what the curve does not sell: about 18\.\d+% of the supply\./,
    );
  });

  test('are asked about where a stranger gets what is left over', async () => {
    const { made, launched, plan, facts } = await both(curve(() => ({}), attacker.address));
    const why = `What is left of the supply goes to ${attacker.address}, which is not known`;
    for (const decision of [made, launched]) expect(short(decision)).toContain(why);
    expect(asked(plan, facts, launched)).toContain(attacker.address);
  });

  test('are asked about where money is real and no receiver of the rest is known', async () => {
    const { facts } = await both();
    const live: Facts = { ...facts, mode: 'live', serviceAddresses: [] };
    const decided = (each: Facts) => short(real.world.decided(each));
    expect(decided(live)).toMatch(/which is not known/);
    expect(decided(treasury(live))).not.toMatch(/which is not known/);
    expect(decided({ ...facts, serviceAddresses: [] })).toBe(ALLOWED);
  });

  test('are pinned by the question about the launch', async () => {
    const { launched, configKey, facts } = await both(curve(dearer(3n)));
    const pinned = launched.opened?.find(({ what }) => what === 'curve');
    const account = facts.accounts.find(({ address }) => address === configKey);
    const data = Buffer.from(account?.data ?? '', 'base64');
    const fields = readAs(poolConfig, { owner: account?.owner ?? '', data });
    expect(JSON.parse(pinned?.says ?? '[]').slice(1)).toEqual([
      Object(fields).leftoverReceiver,
      Object(fields).feeClaimer,
    ]);
  });

  test('that let a key make more of the token are refused, at the config and at the launch', async () => {
    const { mint } = await real.world.token();
    const fields = real.world.configRequest(mint, [10_000], { flow: 'dbc' });
    for (const tokenUpdateAuthority of [3, 4]) {
      const plan = await real.plan(
        { endpoint: 'feeShareConfig', fields },
        curve(() => ({ tokenUpdateAuthority })),
      );
      expect(short(await real.world.decide(plan, plan.stages[0]?.id ?? ''))).toMatch(
        /^deny;.*REQUEST_MISMATCH bytes match the request: key that can make more of the token/,
      );
    }
    const { facts, configKey } = await both();
    const accounts = facts.accounts.map((each) => {
      if (each.address !== configKey) return each;
      const data = Buffer.from(each.data, 'base64');
      data[UPDATE_AUTHORITY] = 4;
      return { ...each, data: data.toString('base64') };
    });
    expect(short(real.world.decided({ ...facts, accounts }))).toMatch(
      /^deny;.*REQUEST_MISMATCH no key can make more of the token: 4/,
    );
  });

  test('a launch is refused after which a stranger can make more of the token', async () => {
    const { facts, mint } = await both();
    const { simulation } = facts;
    if (simulation.status !== 'done') throw new Error('not simulated');
    const after = simulation.after.map((each) => {
      if (each.address !== mint) return each;
      const data = Buffer.from(each.data, 'base64');
      data.writeUInt32LE(1, 0);
      data.set(addressBytes(attacker.address), 4);
      return { ...each, data: data.toString('base64') };
    });
    expect(short(real.world.decided({ ...facts, simulation: { ...simulation, after } }))).toMatch(
      /^deny;.*no stranger can mint more of the launched token/,
    );
    expect(short(real.world.decided(facts))).toBe(ALLOWED);
  });

  test('with a creation fee count it as spent, and the launch can land', async () => {
    const plain = await both();
    const { launched, plan, facts } = await both(curve(() => ({ poolCreationFee: 1_000_000_000n })));
    const out = (decision: Decision) =>
      BigInt(decision.changes.find(({ asset }) => asset === 'SOL')?.out ?? '0');
    expect(out(launched) - out(plain.launched)).toBe(1_000_000_000n);
    expect(short(launched)).toMatch(ASKED);
    expect(short(launched)).not.toContain('UNDECLARED_LOSS');
    expect(asked(plan, facts, launched)).toContain('Name and pool, for good: at most 1.01 SOL.');
  });
});

/** Where an account of terms says who may change the token. */
const UPDATE_AUTHORITY = 246;

describe('what terms give away', () => {
  /** Terms of the service as the config writes them. */
  async function honest(): Promise<Args> {
    const found: Args[] = [];
    const { mint } = await real.world.token();
    const fields = real.world.configRequest(mint, [10_000], { flow: 'dbc' });
    await real.plan({ endpoint: 'feeShareConfig', fields }, (draft) =>
      rewrite(draft, 'dbc.createConfig', ({ args }) => {
        found.push(args);
        return undefined;
      }),
    );
    const [args] = found;
    if (args === undefined) throw new Error('no curve');
    return args;
  }

  const vests = { vestingPercentage: 40 };
  const NAMED: Readonly<Record<string, readonly [object, RegExp]>> = {
    'creator takes liquidity': [{ creatorLiquidityPercentage: 30 }, /creator can take 30%/],
    'partner liquidity in time': [
      { partnerLiquidityVestingInfo: vests },
      /fee earner can take 40%.*as time passes/,
    ],
    'creator liquidity in time': [
      { creatorLiquidityVestingInfo: vests },
      /creator can take 40%.*as time passes/,
    ],
    'creator earns afterwards': [
      { creatorPermanentLockedLiquidityPercentage: 60 },
      /60% of the fees go to the pool's creator/,
    ],
    'supply held back': [{ lockedVesting: { amountPerPeriod: 5n, numberOfPeriod: 2n } }, /held back/],
    'supply held back, as an account': [
      { lockedVesting: undefined, lockedVestingConfig: { cliffUnlockAmount: '5' } },
      /held back/,
    ],
    'migration fee, as an account': [
      { migrationFee: undefined, migrationFeePercentage: 20 },
      /20% of what it took/,
    ],
    'creator renames': [{ tokenUpdateAuthority: 0 }, /The pool's creator can change the token's name/],
    'fee earner renames': [{ tokenUpdateAuthority: 2 }, /The fee earner can change the token's name/],
    'fee of larger trades': [
      { poolFees: { baseFee: { baseFeeMode: 2 }, dynamicFee: null } },
      /can rise above the first one/,
    ],
    'fee of moving prices': [
      { poolFees: { baseFee: { baseFeeMode: 0 }, dynamicFee: { binStep: 1 } } },
      /rises while the price moves/,
    ],
  };

  test('is named, a sentence each, and honest terms have none', async () => {
    const args = await honest();
    expect(curveGives({ ...args })).toEqual([]);
    for (const [name, [change, sentence]] of Object.entries(NAMED)) {
      const said = curveGives({ ...args, ...change });
      expect([name, said.filter((each) => sentence.test(each)).length]).toEqual([name, 1]);
    }
  });

  test('is the same of the arguments and of the account the program makes of them', async () => {
    for (const terms of [dearer(3n), dearer(13n, 10n)]) {
      const change = curve(terms);
      const { facts, configKey } = await both(change);
      const account = facts.accounts.find(({ address }) => address === configKey);
      const fields = readAs(poolConfig, {
        owner: account?.owner ?? '',
        data: Buffer.from(account?.data ?? '', 'base64'),
      });
      const args = await honest();
      const share = leftoverBps({ ...args, ...terms(args) });
      expect(leftoverBps(Object(fields))).toBe(share);
      expect(share).toBeGreaterThan(MOST_LEFT_BPS);
    }
  });
});
