/** Plans that fail in rehearsal are not started; an impossible or disabled rehearsal changes nothing else. */
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { frozenFor } from '../../src/ledger/frozen.ts';
import type { PolicyFile } from '../../src/policy/file/schema.ts';
import type { RehearsalFact } from '../../src/rpc/types.ts';
import { Home } from '../execution/home.ts';
import { ended } from '../execution/real.ts';
import { configRequest, launchRequest } from '../execution/requests.ts';
import { securityDenials } from '../ledger/samples.ts';
import { rehearsalOf } from './scene.ts';

let home: Home;
beforeEach(async () => {
  home = await Home.start();
});
afterEach(() => ended(home));

type Setting = PolicyFile['rehearsal'];

/** Opens another process of the home with rehearsals; `outcome` replaces the result. */
function rehearsing(setting?: Setting, outcome?: RehearsalFact, change = (file: PolicyFile) => file): Home {
  const real = rehearsalOf(home);
  const other = home.again({
    policy: (file) => change({ ...file, ...(setting === undefined ? {} : { rehearsal: setting }) }),
    deps: { rehearse: async (plan, own) => outcome ?? real(plan, own) },
  });
  onTestFinished(() => other.close());
  return other;
}

/** Builds a plan of two stages for a wallet that can pay for the first only. */
async function underfunded(on: Home) {
  const { plan } = await on.build('feeShareConfig', await configRequest(on, 20));
  const { chain } = on.sandbox;
  const before = chain.getAccount(on.wallet);
  if (plan === null || before === null) throw new Error('no plan');
  chain.setAccount(on.wallet, { ...before, lamports: 11_900_000n });
  on.sandbox.advanceSlots(2);
  const refill = () => {
    chain.setAccount(on.wallet, before);
    on.sandbox.advanceSlots(2);
  };
  return { planId: plan.planId, refill };
}

describe('a plan whose second transaction is underfunded', () => {
  test('is not started: nothing is signed, and the message names the failing transaction and the remedy', async () => {
    const on = rehearsing();
    const { planId, refill } = await underfunded(on);
    const shown = await on.submit(planId);
    expect(on.signatures).toBe(0);
    expect(shown).toMatchObject({
      status: 'denied',
      decision: { effect: 'deny', reasonCodes: expect.arrayContaining(['REHEARSAL_FAILED']) },
    });
    const [record] = await on.ledger.rows('decisions', { planId });
    expect(record?.decision).toMatchObject({
      class: 'availability',
      checks: expect.arrayContaining([
        expect.objectContaining({
          id: 'rehearsed',
          ok: false,
          params: expect.objectContaining({ place: 2 }),
        }),
      ]),
    });
    refill();
    expect(await on.submit(planId)).toMatchObject({ status: 'complete' });
  });

  test('never counts toward a freeze', async () => {
    const on = rehearsing();
    const { planId } = await underfunded(on);
    for (let i = 0; i < 6; i++) await on.submit(planId);
    expect(await securityDenials(on.ledger)).toBe(0);
    expect(await frozenFor(on.ledger)).toBeUndefined();
  });

  test('is started if the policy rehearses nothing', async () => {
    const on = rehearsing('off');
    const { planId } = await underfunded(on);
    await on.submit(planId, 10);
    expect(on.signatures).toBeGreaterThan(0);
  });
});

const FAILED: RehearsalFact = { status: 'failed', slot: 1, stageId: 'x', place: 1, error: 'AccountNotFound' };
const IMPOSSIBLE: RehearsalFact = { status: 'impossible', reason: 'runtime' };
const HARMLESS: RehearsalFact = { status: 'done', slot: 1, stages: [], programs: {} };

describe('without a rehearsal', () => {
  test.each<Setting>(['require', 'when_possible'])('a fully decoded plan continues (%s)', async (setting) => {
    const on = rehearsing(setting, IMPOSSIBLE);
    const { plan } = await on.build('feeShareConfig', await configRequest(on, 20));
    expect(await on.submit(plan?.planId ?? '', 50)).toMatchObject({ status: 'complete' });
  });

  test('a plan with an unsupported instruction asks once if the policy requires a rehearsal', async () => {
    const on = rehearsing('require', IMPOSSIBLE);
    const { plan } = await on.build('dammLaunch', await launchRequest(on));
    expect(plan).toMatchObject({ decision: { effect: 'allow' } });
    const planId = plan?.planId ?? '';
    const submitted = await on.submit(planId);
    expect(submitted).toMatchObject({
      status: 'approval_required',
      decision: { reasonCodes: ['APPROVAL_REQUIRED', 'REHEARSAL_MISSING'] },
    });
    expect(on.signatures).toBe(0);
    await on.ledger.answerApproval(submitted.approval?.id ?? '', { state: 'approved', channel: 'page' });
    expect(await on.submit(planId, 50)).toMatchObject({ status: 'complete' });
    expect(await on.ledger.rows('approvals', { planId })).toHaveLength(1);
  });

  test('it continues if the policy says when possible', async () => {
    const on = rehearsing('when_possible', IMPOSSIBLE);
    const { plan } = await on.build('dammLaunch', await launchRequest(on));
    expect(await on.submit(plan?.planId ?? '', 50)).toMatchObject({ status: 'complete' });
  });
});

describe('a rehearsal only narrows', () => {
  const requireApproval = (file: PolicyFile): PolicyFile => ({
    ...file,
    rules: file.rules.map((rule) => ({ ...rule, effect: 'require_approval' })),
  });
  const denies = (file: PolicyFile): PolicyFile => ({
    ...file,
    rules: file.rules.map(({ id, operation, why }) => ({ id, operation, why, effect: 'deny' })),
  });

  test.each([
    ['asked about', requireApproval, 'approval_required'],
    ['denied', denies, 'denied'],
  ] as const)('T190 a harmless one does not allow a plan that is %s', async (_, change, status) => {
    const on = rehearsing(undefined, HARMLESS, change);
    const { plan } = await on.build('feeShareConfig', await configRequest(on, 20));
    expect(await on.submit(plan?.planId ?? '')).toMatchObject({ status });
    expect(on.signatures).toBe(0);
  });

  test('a failed one asks no one', async () => {
    const on = rehearsing(undefined, FAILED, requireApproval);
    const { plan } = await on.build('feeShareConfig', await configRequest(on, 20));
    expect(await on.submit(plan?.planId ?? '')).toMatchObject({ status: 'denied' });
    expect(await on.ledger.rows('approvals', { planId: plan?.planId ?? '' })).toEqual([]);
  });

  test('a fully decoded plan of one transaction is not rehearsed', async () => {
    const on = rehearsing(undefined, FAILED);
    const { plan } = await on.build('feeShareConfig', await configRequest(on, 1));
    expect(await on.submit(plan?.planId ?? '', 50)).toMatchObject({ status: 'complete' });
  });
});
