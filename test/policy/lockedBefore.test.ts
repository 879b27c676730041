/**
 * Stages a first buy may rely on: its own, landed ones, and its dependencies, direct or indirect. A lock anywhere else
 * in the plan may never land (T141).
 */

import { describe, expect, it } from 'vitest';
import type { DecodedStage } from '../../src/plan/decodedStage.ts';
import type { StageStatus } from '../../src/plan/types.ts';
import type { DecisionInputs } from '../../src/policy/decide/types.ts';
import { findsNot } from './recorded/attacking.ts';
import { readOf } from './recorded/operands.ts';
import { decide, rewritten, stage } from './recorded/stages.ts';
import { summaryOf } from './recorded/sweep.ts';

type Sibling = DecisionInputs['siblings'][number];

const launch = stage('direct launch');
const UNLOCKED = 'REQUEST_MISMATCH: liquidityLocked (0% locked; allowed';
const { at } = readOf(launch, 'dammV2.permanentLockPosition', 1);
const buys = rewritten(launch, (list) => list.filter((_, i) => i !== at));
const { transaction } = rewritten(launch, (list) => list.slice(at, at + 1)).stage;
const [token] = launch.siblings;
if (token === undefined) throw new Error('no stage before');

/** A separate stage with the lock, or with other bytes. */
const apart = (
  status: StageStatus,
  {
    id = 'lock',
    waitsFor = [],
    bytes = transaction,
  }: { id?: string; waitsFor?: string[]; bytes?: DecodedStage } = {},
): Sibling => ({
  stage: { ...launch.stage, id, dependsOn: waitsFor, transaction: bytes },
  status,
});
/** The launch without its lock, in a plan with these stages before and after it, and with these dependencies. */
const planned = (
  before: readonly Sibling[],
  waitsFor: readonly string[] = [],
  after: readonly Sibling[] = [],
): string => {
  const own = { ...buys.stage, dependsOn: [token.stage.id, ...waitsFor] };
  const siblings = [token, ...before, { stage: own, status: 'ready' as const }, ...after];
  return summaryOf(decide({ ...buys, stage: own, siblings }));
};

describe('a first buy is refused if the liquidity is locked', () => {
  it('nowhere', () => {
    expect(summaryOf(decide(launch))).toMatch(/^allow/);
    expect(planned([])).toContain(UNLOCKED);
  });

  it.each(['waiting', 'ready', 'signed', 'sent', 'unknown', 'failed', 'expired', 'skipped'] as const)(
    'by a stage that it does not depend on and that has not landed: %s',
    (status) => {
      expect(planned([apart(status)])).toContain(UNLOCKED);
      expect(planned([], [], [apart(status, { waitsFor: [launch.stage.id] })])).toContain(UNLOCKED);
    },
  );

  it('by a stage that only another depends on', () => {
    const other = apart('ready', { id: 'other', waitsFor: ['lock'], bytes: token.stage.transaction });
    expect(planned([apart('ready'), other])).toContain(UNLOCKED);
  });
});

describe('a first buy may rely on a lock', () => {
  it.each(['confirmed', 'finalized'] as const)('that has landed, as a dependency or not: %s', (status) => {
    expect(planned([apart(status)])).not.toContain(UNLOCKED);
    expect(planned([apart(status)], ['lock'])).not.toContain(UNLOCKED);
  });

  it('that it depends on, directly or through another stage', () => {
    expect(planned([apart('ready')], ['lock'])).not.toContain(UNLOCKED);
    const other = apart('ready', { id: 'other', waitsFor: ['lock'], bytes: token.stage.transaction });
    expect(planned([apart('ready'), other], ['other'])).not.toContain(UNLOCKED);
  });

  it('that landed in an earlier build of the plan', () => {
    const own = { ...buys.stage, dependsOn: [token.stage.id] };
    const siblings = [token, { stage: own, status: 'ready' as const }];
    const after: DecisionInputs = { ...buys, stage: own, siblings, earlierStages: [transaction] };
    findsNot(after, UNLOCKED);
  });
});
