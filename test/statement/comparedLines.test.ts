/** Comparison of single lines by `covers`: the bounds of each, and lines that may be added, dropped or deferred. */
import { describe, expect, test } from 'vitest';
import { approvalOf, payKey } from '../../src/statement/aggregate.ts';
import { covers } from '../../src/statement/covers.ts';
import type { Line, LineOf, Pin, Run, RunStage, Verdict, Why } from '../../src/statement/types.ts';
import { at, PAYEE, QUIET, ROUTER, SCOPE, STRANGER, TOKEN, WALLET } from './chain.ts';

const transactionSource = { source: 'transaction' } as const;
const pays = (atMost: bigint, why: Why = 'payment', to = PAYEE): LineOf<'pays'> => ({
  ...{ ...transactionSource, id: 'pays', asset: 'SOL', atMost, to, owner: to, why, returns: 'never' },
});
const brings = (
  atLeast: bigint,
  from: string,
  enforcedBy: 'simulation' | 'program',
  asset = 'SOL',
): Line => ({
  ...{ ...transactionSource, id: 'receives', asset, atLeast, from, into: WALLET, enforcedBy },
});
const [A, B] = [at('source A'), at('source B')];
const claims = (atLeast: bigint, from = A) => brings(atLeast, from, 'simulation');
const trade = [pays(600n, 'trade', 'market'), brings(540n, 'market', 'program', TOKEN)];

const stage = (state: RunStage['state'], lines: readonly Line[], more: Partial<RunStage> = {}): RunStage => ({
  ...{ lines, made: {}, state, ...more },
});
const run = (stages: readonly RunStage[], more: Partial<Run> = {}): Run => ({
  ...{ scope: SCOPE, time: 1_000, stages, draws: new Map(), spentPins: [], request: [], ...more },
});
/** Returns the verdict of the first run's approval on the second run. */
const verdict = (approved: Run, now: Run): Verdict => covers(approvalOf(approved, 2_000, []), now);
const isCovered = (approved: readonly RunStage[], now: readonly RunStage[]): boolean =>
  verdict(run(approved), run(now)).covered;
const lines = (...all: Line[]): RunStage[] => [stage('this', all)];

const power = (more: { maxBps?: number; maxFee?: bigint; holder?: string; mint?: string }): Line => ({
  ...{ id: 'issuer', source: 'chain', mint: TOKEN, power: 'transferFee', holder: PAYEE, ...more },
});
test.each([
  ['as much', { maxBps: 100, maxFee: 5n }, true],
  ['a lower fee', { maxBps: 100, maxFee: 4n }, true],
  ['a lower share', { maxBps: 99, maxFee: 5n }, true],
  ['a higher fee', { maxBps: 99, maxFee: 6n }, false],
  ['a higher share', { maxBps: 101, maxFee: 4n }, false],
  ['a fee without a bound', { maxBps: 100 }, false],
  ['a share without a bound', { maxFee: 5n }, false],
  ['a lower fee of another holder', { maxBps: 99, maxFee: 4n, holder: STRANGER }, false],
  ['a lower fee of another token', { maxBps: 99, maxFee: 4n, mint: ROUTER }, false],
])('an issuer that may take %s', (_, now, covered) => {
  expect(isCovered(lines(power({ maxBps: 100, maxFee: 5n })), lines(power(now)))).toBe(covered);
});

test('an issuer right may get a bound or be removed, and may not be added', () => {
  const bounded = power({ maxBps: 100, maxFee: 5n });
  expect(isCovered(lines(power({})), lines(bounded))).toBe(true);
  expect(isCovered(lines(bounded), lines())).toBe(true);
  expect(isCovered(lines(), lines(bounded))).toBe(false);
});

const code = (deployedSlot: string): Line => ({
  ...{ id: 'code', source: 'chain', program: QUIET, deployedSlot, upgradeableBy: null },
});
const unsupported: Line = {
  ...transactionSource,
  id: 'unsupported',
  program: QUIET,
  instruction: null,
  reaches: [],
};
const pin = (digest: string): Pin => ({ digest, programs: [{ address: QUIET, deployedSlot: '1' }] });

test('code that has become known is covered, and replaced code is not', () => {
  const pinned = { pin: pin('m1') };
  const [without, known] = [[unsupported], [unsupported, code('1')]];
  expect(isCovered([stage('this', without, pinned)], [stage('this', known, pinned)])).toBe(true);
  expect(isCovered([stage('this', known, pinned)], [stage('this', without, pinned)])).toBe(true);
  expect(isCovered(lines(code('1')), lines(code('2')))).toBe(false);
});

test.each([
  ['a finding for the owner', { source: 'chain', id: 'asks', code: 'CODE_REPLACED' }],
  ['a stage to come', { source: 'request', id: 'later', what: 'config' }],
] as const)('%s may be removed, and may not be added', (_, line) => {
  expect(isCovered(lines(pays(1n), line), lines(pays(1n)))).toBe(true);
  expect(isCovered(lines(pays(1n)), lines(pays(1n), line))).toBe(false);
});

describe('receipts', () => {
  const twice = [claims(1_000n), claims(0n)];
  const landed = (all: readonly Line[], realised: bigint) =>
    stage('landed', all, { realised: new Map([['SOL', realised]]) });

  test("a stage's payout counts once, however many claims it has", () => {
    const next = [stage('this', [pays(1n)])];
    const approved = [stage('this', twice), stage('announced', [pays(1n)])];
    expect(isCovered(approved, [landed(twice, 500n), ...next])).toBe(false);
    expect(isCovered(approved, [landed(twice, 1_000n), ...next])).toBe(true);
  });

  test("a stage's payout beyond its first claim offsets no other", () => {
    const both = [claims(1_000n), claims(0n, B)];
    const approved = [stage('this', both), stage('announced', [claims(1_000n, B)])];
    expect(isCovered(approved, [landed(both, 1_500n), stage('this', [claims(0n, B)])])).toBe(false);
    expect(isCovered(approved, [landed(both, 1_500n), stage('this', [claims(1_000n, B)])])).toBe(true);
  });

  test.each(['inFlight', 'landed'] as const)(
    'a claim that is %s and not settled counts as simulated',
    (state) => {
      const approved = [stage('this', [claims(1_000n)]), stage('announced', [pays(1n)])];
      expect(isCovered(approved, [stage(state, [claims(1_000n)]), stage('this', [pays(1n)])])).toBe(true);
      expect(isCovered(approved, [stage(state, [claims(999n)]), stage('this', [pays(1n)])])).toBe(false);
    },
  );

  test('balance changes noted for a stage that is in flight again do not count', () => {
    const approved = [stage('this', [claims(1_000n)]), stage('announced', [claims(1_000n)])];
    const again = stage('inFlight', [claims(1_000n)], { realised: new Map([['SOL', 5_000n]]) });
    expect(isCovered(approved, [again, stage('this', [claims(0n)])])).toBe(false);
    expect(isCovered(approved, [again, stage('this', [claims(1_000n)])])).toBe(true);
  });

  test('only payments into a trade wait for receipts, and only for those of the market', () => {
    const paid = stage('this', [pays(50n)]);
    expect(isCovered([paid, stage('announced', trade)], [paid, stage('announced', trade)])).toBe(true);
    const claimed = stage('announced', [claims(1_000n)]);
    const traded = stage('this', trade);
    expect(isCovered([traded, claimed], [traded, claimed])).toBe(true);
    const less = [trade[0] ?? pays(0n), brings(539n, 'market', 'program', TOKEN)];
    const rest = stage('announced', [brings(1n, 'market', 'program', TOKEN)]);
    expect(isCovered([traded], [stage('this', less), rest])).toBe(false);
  });

  test.each(['landed', 'inFlight'] as const)(
    'a trade that is %s at a bad price is not offset later',
    (state) => {
      const buys = (most: bigint, least: bigint) => [
        pays(most, 'trade', 'market'),
        brings(least, 'market', 'program', TOKEN),
      ];
      const rest = (least: bigint) => [
        stage('this', buys(100n, least)),
        stage('announced', buys(200n, 340n - least)),
      ];
      const draws = new Map([[payKey(pays(0n, 'trade', 'market')), 300n]]);
      const says = (least: bigint) =>
        verdict(run([stage('this', trade)]), run([stage(state, buys(300n, 200n)), ...rest(least)], { draws }))
          .covered;
      expect([says(159n), says(160n)]).toEqual([false, true]);
    },
  );
});

describe('a run', () => {
  test('may start until its approval expires, and continue afterwards', () => {
    const now = lines(pays(1n));
    const at = (time: number, stages = now) =>
      verdict(run([stage('this', [pays(1n)]), stage('announced', [])]), run(stages, { time }));
    expect([at(1_999).covered, at(2_000).covered]).toEqual([true, false]);
    for (const state of ['landed', 'inFlight'] as const)
      expect(at(9_000, [stage(state, []), ...now]).covered).toBe(true);
  });

  test('of a statement of another version is not covered', () => {
    const approval = approvalOf(run(lines(pays(1n))), 2_000, []);
    const other = { ...approval, statement: { ...approval.statement, version: 2 as 1 } };
    expect(covers(other, run(lines(pays(1n))))).toEqual({ covered: false, line: 'scope', key: 'version' });
  });

  test('that is only previewed needs no pin', () => {
    const preview = [stage('announced', [unsupported], { pin: pin('m1') })];
    expect(isCovered(preview, preview)).toBe(true);
  });

  test('with an unsupported stage that cannot be pinned is not covered', () => {
    const stages = lines(unsupported);
    expect(verdict(run(stages), run(stages))).toEqual({ covered: false, line: 'pin', key: '' });
  });

  test("uses each stage's pin separately", () => {
    const [first, second] = ['m1', 'm2'].map((digest) => stage('this', [unsupported], { pin: pin(digest) }));
    if (first === undefined || second === undefined) throw new Error('two stages');
    const approved = run([first, { ...second, state: 'announced' }]);
    const now = [{ ...first, state: 'landed' as const }, second];
    expect(verdict(approved, run(now, { spentPins: ['m1'] }))).toEqual({ covered: true });
    expect(verdict(approved, run(now, { spentPins: ['m2'] }))).toMatchObject({ line: 'pin', key: 'm2' });
  });
});
