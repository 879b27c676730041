/** Required receipts of an approved run: the total shown to the owner, whichever stages are left. */
import { describe, expect, it } from 'vitest';
import { type DecidedStage, runPartsOf } from '../../src/approval/run.ts';
import type { Plan } from '../../src/plan/types.ts';
import { approvalOf } from '../../src/statement/aggregate.ts';
import { covers } from '../../src/statement/covers.ts';
import { runOf, type SignedStage } from '../../src/statement/run.ts';
import type { Line } from '../../src/statement/types.ts';
import { sampleDecision, samplePlan, sampleStatement, WALLET } from '../ledger/samples.ts';
import { keyNamed } from '../policy/people.ts';
import { stage } from './samples.ts';

const POLICY = sampleDecision().policyHash;
const [token, custody] = [keyNamed('token').address, keyNamed('custody').address];
const receives = (asset: string, atLeast: number): Line => ({
  ...{ id: 'receives', source: 'transaction', asset, atLeast: BigInt(atLeast) },
  ...{ from: custody, into: WALLET, enforcedBy: 'simulation' },
});
/** A claim with these simulated receipts. Two stages pay the fees of two. */
const brings = (id: string, sol: number, tokens = 0): DecidedStage => ({
  id,
  decision: sampleDecision({
    statement: sampleStatement([], '5000', [
      receives('SOL', sol),
      ...(tokens === 0 ? [] : [receives(token, tokens)]),
    ]),
  }),
});
const plan: Plan = samplePlan({ stages: [stage('one', 'claim'), stage('two', 'claim')] });
const approval = approvalOf(
  runOf(runPartsOf(plan, POLICY, [brings('one', 5, 70), brings('two', 3)]), [], 0),
  1,
  [],
);
const covered = (stages: readonly DecidedStage[], stageId: string, signed: readonly SignedStage[] = []) =>
  covers(approval, runOf(runPartsOf(plan, POLICY, stages, stageId), signed, 0)).covered;
/** A signed stage with the balance changes of the wallet after it landed. */
const signed = (
  { id, decision: { statement } }: DecidedStage,
  state: SignedStage['state'],
  moved?: Readonly<Record<string, bigint>>,
): SignedStage => ({
  ...{ stageId: id, state, statement },
  ...(moved === undefined ? {} : { moved: new Map(Object.entries(moved)) }),
});

describe('an approved claim of two stages', () => {
  it('is limited to the displayed sum of each asset', () => {
    const lines = approval.statement.lines.flatMap((line) =>
      line.id === 'receives' ? [[line.asset, line.atLeast]] : [],
    );
    expect(new Map(lines as [string, bigint][])).toEqual(
      new Map([
        ['SOL', 8n],
        [token, 70n],
      ]),
    );
  });

  it('covers each stage that pays out at least its displayed amount, given the other stage', () => {
    expect(covered([brings('one', 5, 70), brings('two', 3)], 'one')).toBe(true);
    expect(covered([brings('one', 6, 71), brings('two', 3)], 'one')).toBe(true);
    expect(covered([brings('one', 5, 70), brings('two', 3)], 'two')).toBe(true);
  });

  it.each([
    ['one unit less', 4, 70],
    ['one unit less of another asset', 5, 69],
    ['only the other asset', 0, 70],
    ['nothing', 0, 0],
  ] as const)('does not cover a stage that pays out %s', (_, sol, tokens) => {
    expect(covered([brings('one', sol, tokens), brings('two', 3)], 'one')).toBe(false);
  });

  it('requires the remaining stages to pay out what a dropped stage was to pay out', () => {
    expect(covered([brings('one', 5, 70)], 'one')).toBe(false);
    expect(covered([brings('one', 8, 70)], 'one')).toBe(true);
    expect(covered([brings('one', 5, 70), brings('one#r1', 2)], 'one#r1')).toBe(false);
    expect(covered([brings('one', 5, 70), brings('one#r1', 3)], 'one#r1')).toBe(true);
  });

  it('counts a landed stage by its payout, before fees and payments', () => {
    const [one, two] = [brings('one', 5, 70), brings('two', 3)];
    const landed = (sol: bigint) => signed(one, 'landed', { SOL: sol, [token]: 70n });
    expect(covered([two], 'two', [landed(5n)])).toBe(true);
    expect(covered([two], 'two', [landed(4n)])).toBe(false);
    expect(covered([brings('two', 4)], 'two', [landed(4n)])).toBe(true);
    // A surplus of the landed stage offsets a later claim that is worth less.
    expect(covered([brings('two', 2)], 'two', [landed(6n)])).toBe(true);
  });

  it('counts a stage in flight by its signed amounts and ignores a failed one', () => {
    const [one, two] = [brings('one', 5, 70), brings('two', 3)];
    expect(covered([two], 'two', [signed(one, 'inFlight')])).toBe(true);
    expect(covered([two], 'two', [signed(one, 'failed')])).toBe(false);
    expect(covered([brings('two', 2)], 'two', [signed(one, 'inFlight')])).toBe(false);
  });

  it('counts a stage once if another worker has signed it since it was announced', () => {
    const [one, two] = [brings('one', 5, 70), brings('two', 3)];
    expect(covered([one, two], 'two', [signed(one, 'inFlight')])).toBe(true);
    expect(covered([one, brings('two', 0)], 'two', [signed(one, 'inFlight')])).toBe(false);
  });
});

describe('an approval of stages that close accounts of the run', () => {
  const closing: Plan = samplePlan({ stages: [stage('one', 'claim'), stage('close', 'lookup_table_close')] });
  const parts = (stageId?: string) =>
    runPartsOf(closing, POLICY, [brings('one', 5), brings('close', 2)], stageId);

  it('does not cover one stage with the other: each is judged alone', () => {
    const whole = approvalOf(runOf(parts(), [], 0), 1, []);
    expect(covers(whole, runOf(parts('one'), [], 0)).covered).toBe(true);
    expect(covers(whole, runOf(parts('close'), [], 0)).covered).toBe(false);
  });
});
