/**
 * Stages of one plan: the remaining budget after other stages and revisions, tips, and the budget of a run (T69,
 * T76, T175).
 */

import { describe, expect, it } from 'vitest';
import { createTable, extendTable, planTable } from '../../sandbox/service/build/lookupTable.ts';
import { systemTransfer } from '../../sandbox/service/build/tokens.ts';
import { DecodedStage } from '../../src/plan/decodedStage.ts';
import type { StageStatus } from '../../src/plan/types.ts';
import type { DecisionInputs } from '../../src/policy/decide/types.ts';
import { anchorNames } from '../../src/programs/anchor.ts';
import { DBC_PROGRAM } from '../../src/programs/dbc/addresses.ts';
import type { SignedStage } from '../../src/statement/run.ts';
import { mint as mintAccount } from './accountFacts.ts';
import { approvalOfStage, coverage } from './approving.ts';
import { keyNamed } from './people.ts';
import { decisionText, finds } from './recorded/attacking.ts';
import { answered, plus, withAfter, withFacts, withLamports, withRequest } from './recorded/edits.ts';
import {
  ATTACKER,
  decide,
  policyFor,
  policyWith,
  rewritten,
  stage,
  stated,
  VENUE,
  WALLET,
  withVenue,
} from './recorded/stages.ts';
import { summaryOf } from './recorded/sweep.ts';

type Sibling = DecisionInputs['siblings'][number];
type Status = Sibling['status'];

const unsupported = policyWith(withVenue);
const LEAVES = 'leavesAsAsked';

const onlyUnsupported = (inputs: DecisionInputs): DecisionInputs =>
  rewritten(inputs, (list) => list.filter(({ programAddress }) => programAddress === VENUE));
/** Returns whether the request's spending may leave with this stage. */
const mayLeave = (
  inputs: DecisionInputs,
  siblings: readonly Sibling[],
  more: Partial<DecisionInputs> = {},
): boolean =>
  !decide({ ...inputs, ...more, siblings }, unsupported).checks.some(({ id, ok }) => id === LEAVES && !ok);

/** The fee of the signatures missing since the simulation, in lamports. */
const FEWER = 5_000n;
const [badge] = anchorNames('create_token_badge');
const call = { programAddress: VENUE, accounts: [], data: Uint8Array.of(1) };
const curve = plus(stage('bare curve launch'), call);
const token = String(curve.plan.request.tokenMint);
const launch = withAfter(onlyUnsupported(curve), withLamports(FEWER));
const me: Sibling = { stage: launch.stage, status: 'ready' };
const beside = (inputs: DecisionInputs, status: Status, more: Partial<Sibling['stage']> = {}): Sibling => ({
  stage: { ...inputs.stage, id: 'other', ...more },
  status,
});

describe('the first buy of an unsupported launch', () => {
  it('does not leave again after a stage of an earlier revision that may have included it (T76)', () => {
    const earlier = (inputs: DecisionInputs) =>
      mayLeave(launch, [me], { earlierStages: [inputs.stage.transaction] });
    expect(earlier(launch)).toBe(false);
    // Undecodable bytes may have done anything.
    expect(mayLeave(launch, [me], { earlierStages: [new DecodedStage('AAAA')] })).toBe(false);
    // Control cases: no earlier revision, and a supported one that bought nothing.
    expect(mayLeave(launch, [me])).toBe(true);
    expect(mayLeave(launch, [me], { earlierStages: [] })).toBe(true);
    const opened = systemTransfer(WALLET, keyNamed('a friend').address, 1n);
    expect(earlier(rewritten(launch, () => [opened]))).toBe(true);
  });

  it('leaves with the last stage called a launch, whatever else of the plan is unsupported', () => {
    const table = beside(launch, 'waiting', { kind: 'lookup_table_close' });
    expect(mayLeave(launch, [me, table])).toBe(true);
    expect(mayLeave(launch, [me, beside(launch, 'waiting')])).toBe(false);
    // An instruction known only by name is unsupported as well.
    const named = rewritten(launch, () => [
      { programAddress: DBC_PROGRAM, accounts: [], data: badge?.discriminator ?? Uint8Array.of() },
    ]);
    expect(mayLeave(launch, [me, beside(named, 'waiting')])).toBe(false);
    // A supported stage that launches nothing is not the launch.
    const read = rewritten(launch, () => []);
    expect(mayLeave(launch, [me, beside(read, 'waiting')])).toBe(true);
  });

  it('leaves with a stage not called a launch if no other may include it', () => {
    const made: DecisionInputs = { ...launch, stage: { ...launch.stage, kind: 'create_token' } };
    const mine: Sibling = { stage: made.stage, status: 'ready' };
    expect(mayLeave(made, [mine])).toBe(true);
    expect(mayLeave(made, [mine, beside(launch, 'waiting')])).toBe(false);
  });

  it('is reported of the same stage once that is signed and decided again', () => {
    const { accounts } = withFacts(launch, mintAccount(token, { mintAuthority: WALLET }));
    for (const status of ['signed', 'sent', 'finalized'] as const)
      expect(mayLeave(launch, [{ ...me, status }], { accounts }), status).toBe(true);
    expect(mayLeave(launch, [beside(launch, 'finalized'), me], { accounts })).toBe(false);
  });
});

describe('the tip of an unsupported config', () => {
  const TIP = 5_000_000n;
  const tipWallet = keyNamed('tipWallet').address;
  const bare = onlyUnsupported(stage('config with an unsupported program'));
  const config = withAfter(
    withRequest(bare, { tipWallet, tipLamports: `${TIP}` }),
    withLamports(FEWER - TIP),
  );
  const mine: Sibling = { stage: config.stage, status: 'ready' };

  it('leaves with the first unsupported stage, and not after one of an earlier revision (T76)', () => {
    const first = beside(config, 'waiting');
    expect(mayLeave(config, [first, mine])).toBe(false);
    expect(mayLeave(config, [mine], { earlierStages: [config.stage.transaction] })).toBe(false);
    // Control cases: alone, and after a supported stage that creates no config.
    expect(mayLeave(config, [mine])).toBe(true);
    expect(
      mayLeave(config, [
        beside(
          rewritten(config, () => []),
          'waiting',
        ),
        mine,
      ]),
    ).toBe(true);
  });
});

describe('a fully decoded plan', () => {
  const decisionText = (inputs: DecisionInputs): string => summaryOf(decide(inputs, policyFor('')));

  it('continues after landed stages of an earlier revision as after its own', () => {
    const end = stage('direct launch, end');
    const { dependsOn: _, ...rest } = end.stage;
    const own = { ...rest, dependsOn: [] };
    const alone: DecisionInputs = { ...end, stage: own, siblings: [{ stage: own, status: 'ready' }] };
    const landed = end.siblings.filter(({ stage: { id } }) => id !== own.id);
    expect(landed.map(({ status }) => status)).toEqual(['finalized', 'finalized']);
    expect(decisionText(end)).toMatch(/^allow/);
    expect(decisionText({ ...alone, earlierStages: landed.map((each) => each.stage.transaction) })).toBe(
      decisionText(end),
    );
    expect(decisionText(alone)).toContain('partThere launch (0 times; allowed 1 times)');
  });

  it('changes a split by the stages that have not landed: the chain shows the rest', () => {
    const change = stage('manager update to fewer');
    const since = (status: Status): DecisionInputs => ({
      ...change,
      siblings: [beside(change, status), { stage: change.stage, status: 'ready' }],
    });
    expect(decisionText(change)).toMatch(/^allow/);
    expect(decisionText(since('finalized'))).toBe(decisionText(change));
    expect(decisionText(since('confirmed'))).toBe(decisionText(change));
    expect(decisionText(since('waiting'))).toContain('claimersWritten');
  });

  it('has the same result for a stage that is signed and decided again', () => {
    for (const name of ['manager update to fewer', 'direct launch', 'payment of SOL']) {
      const seen = stage(name);
      const signed = (status: Status): DecisionInputs => ({
        ...seen,
        siblings: seen.siblings.map((each) => (each.stage.id === seen.stage.id ? { ...each, status } : each)),
      });
      const ready = summaryOf(decide(seen, policyFor(name)));
      for (const status of ['signed', 'sent', 'unknown'] as const)
        expect(summaryOf(decide(signed(status), policyFor(name))), `${name}, ${status}`).toBe(ready);
    }
  });

  it("is decoded with a table's contents on chain, whatever the plan adds to it", () => {
    const made = stage('custody token');
    const tables = made.tables.map((each) => ({ ...each, addresses: each.addresses.slice(0, 1) }));
    expect(made.tables).toHaveLength(1);
    expect(decisionText(made)).toMatch(/^allow/);
    expect(decisionText({ ...made, tables })).toContain('stagesReadable (1 cannot)');
  });
});

const custodyToken = stage('custody token');
const withTip = stage('config v0');

describe('stages beside the decided one', () => {
  const unsupported = 'LOOKUP_TABLE_UNRESOLVED, availability: stagesReadable (1 cannot)';

  it("are decoded with the plan's own tables before the chain shows them", () => {
    expect(custodyToken.tables.length).toBeGreaterThan(0);
    const early: DecisionInputs = { ...custodyToken, tables: [] };
    expect(decisionText(custodyToken)).toMatch(/^allow/);
    expect(decisionText(early)).toBe(decisionText(custodyToken));
    const alone: DecisionInputs = {
      ...early,
      siblings: early.siblings.filter(({ stage }) => stage.id !== 'lut_setup'),
    };
    finds(alone, unsupported);
  });

  it('that are unsupported are counted, those of earlier builds too', () => {
    const broken = custodyToken.siblings.map((each) =>
      each.stage.id === 'launch'
        ? { ...each, stage: { ...each.stage, transaction: new DecodedStage('AAAA') } }
        : each,
    );
    finds({ ...custodyToken, siblings: broken }, unsupported);
    finds({ ...custodyToken, earlierStages: [new DecodedStage('AAAA')] }, unsupported);
    finds({ ...custodyToken, siblings: broken, earlierStages: [new DecodedStage('AAAA')] }, '(2 cannot)');
  });
});

describe('a tip', () => {
  const pays = (to: string, lamports: bigint) => systemTransfer(WALLET, to, lamports);

  it('is exactly the offered amount of SOL, to the named wallet', () => {
    finds(
      withRequest(withTip, { tipLamports: 2_000_000 }),
      'matchesRequest tip (0.001 SOL; allowed 0.002 SOL)',
    );
    finds(
      withRequest(withTip, { tipWallet: ATTACKER }),
      'matchesRequest tipWallet (G8u1Rh…; allowed ATTACKER)',
    );
  });

  it('is requested by a wallet and an amount together, and paid once', () => {
    for (const request of [{ tipWallet: undefined }, { tipLamports: undefined }, { tipLamports: 0 }])
      finds(withRequest(withTip, request), 'UNEXPECTED_INSTRUCTION');
    finds(plus(withTip, pays(String(withTip.plan.request.tipWallet), 1_000_000n)), 'UNEXPECTED_INSTRUCTION');
  });
});

const setup = stage('custody table');
const claim = stage('holding claim');
const USED = 'tableUsed';

/** A setup of a table of its own. */
function table(nth: number): DecisionInputs['stage'] {
  const plan = planTable(
    WALLET,
    1_000 + nth,
    Array.from({ length: 3 }, (_, i) => keyNamed(`entry ${i}`).address),
  );
  const { stage: made } = rewritten(setup, () => [
    createTable(WALLET, plan.recentSlot),
    extendTable(plan.table, WALLET, plan.addresses),
  ]);
  return { ...made, id: `lookup-${nth}` };
}

const TABLES = Array.from({ length: 30 }, (_, nth) => table(nth));
const at = (status: StageStatus) => (each: DecisionInputs['stage']) => ({ stage: each, status });

/** A table stage of a claim, before its turn. */
const deciding = (
  one: DecisionInputs['stage'],
  siblings: DecisionInputs['siblings'],
  more: Partial<DecisionInputs> = {},
): DecisionInputs => ({
  ...claim,
  purpose: 'preview',
  stage: one,
  siblings,
  tables: [],
  simulation: { status: 'not_yet' },
  ...more,
});

/** The nth build of a claim that requests one more table each time. */
const round = (nth: number): DecisionInputs => {
  const [one = setup.stage, earlier] = [TABLES[nth], TABLES.slice(0, nth)];
  return deciding(one, [at('ready')(one)], { earlierStages: earlier.map(({ transaction }) => transaction) });
};

const over = (inputs: DecisionInputs) =>
  decide(inputs).checks.filter(({ code }) => code === 'RUN_OVER_BUDGET');

describe('lookup tables of a claim', () => {
  it('that no transaction of the plan uses are refused', () => {
    const [first = setup.stage] = TABLES;
    const plan = [...TABLES, claim.stage].map(at('ready'));
    expect(decide(deciding(first, plan))).toMatchObject({
      effect: 'deny',
      reasonCodes: expect.arrayContaining(['REQUEST_MISMATCH']),
    });
  });

  it('are created one at a time before the claim is built', () => {
    const [first = setup.stage, second = setup.stage] = TABLES;
    const failed = (inputs: DecisionInputs) => decide(inputs).checks.some(({ id, ok }) => id === USED && !ok);
    expect(failed(deciding(first, [first, second].map(at('ready'))))).toBe(true);
    expect(failed(deciding(first, [at('ready')(first)]))).toBe(false);
    expect(decide(deciding(first, [at('ready')(first)])).effect).toBe('allow');
  });

  it('ask beyond the budget, over all builds', () => {
    expect([0, 1, 2, 29].map((nth) => decide(round(nth)).effect)).toEqual([
      'allow',
      'allow',
      'require_approval',
      'require_approval',
    ]);
    expect(over(round(2))[0]).toMatchObject({ observed: '3', ok: false });
  });

  it('ask if one has more entries than the request and a transaction can name', () => {
    const filled = (extensions: number) => {
      const plan = planTable(WALLET, 900, []);
      const stages = Array.from({ length: extensions }, (_, nth) => ({
        ...rewritten(setup, () => [
          ...(nth === 0 ? [createTable(WALLET, plan.recentSlot)] : []),
          extendTable(
            plan.table,
            WALLET,
            Array.from({ length: 22 }, (__, i) => keyNamed(`entry ${nth} ${i}`).address),
          ),
        ]).stage,
        id: `lookup-${nth}`,
      }));
      const [first = setup.stage] = stages;
      return decide(deciding(first, stages.map(at('ready'))));
    };
    expect(filled(2).effect).toBe('allow');
    expect(filled(3).effect).toBe('require_approval');
  });

  it('are approved by number: additional ones ask again', () => {
    expect(decide(round(3)).effect).toBe('require_approval');
    const signedBefore = (nth: number) =>
      TABLES.slice(0, nth).map(
        ({ id }, i): SignedStage => ({
          ...{ stageId: id, state: 'landed', statement: stated(round(i)).statement },
        }),
      );
    const approval = approvalOfStage(round(3), policyFor(''), signedBefore(3));
    const covered = (nth: number) => coverage(approval, round(nth), policyFor(''), signedBefore(nth)).covered;
    expect(covered(3)).toBe(true);
    expect(covered(4)).toBe(false);
  });
});

describe('a launch', () => {
  it('is rebuilt after its table landed, with a new table, without a question', () => {
    const left = { stage: { ...table(60), id: 'left over' }, status: 'finalized' as const };
    const again = { ...setup, siblings: [left, ...setup.siblings] };
    expect(decide(again)).toMatchObject({ effect: 'allow', reasonCodes: [] });
  });

  it('creates no table beside the one it uses', () => {
    const beside = table(61);
    const { plan } = answered(setup, { launch: {} });
    const inputs = deciding(beside, [...setup.siblings, at('ready')(beside)], { plan });
    expect(decide(inputs).checks).toContainEqual(expect.objectContaining({ id: USED, ok: false }));
  });

  it('asks if it has more transactions than a launch takes', () => {
    const more = Array.from({ length: 4 }, (_, nth) => ({
      stage: { ...setup.stage, id: `more-${nth}`, kind: 'create_token' as const },
      status: 'finalized' as const,
    }));
    const of = (count: number) => over({ ...setup, siblings: [...setup.siblings, ...more.slice(0, count)] });
    expect(of(1)).toEqual([]);
    expect(of(2)).toContainEqual(expect.objectContaining({ observed: '7' }));
  });
});
