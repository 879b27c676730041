import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ApprovalChannel } from '../../src/approval/types.ts';
import type { ExecutionDeps } from '../../src/execution/ports.ts';
import { openLedger } from '../../src/ledger/sqlite/sqlite.ts';
import type { PolicyFile } from '../../src/policy/file/schema.ts';
import { maxOut } from '../approval/stated.ts';
import { eventually } from '../eventually.ts';
import { Home } from './home.ts';
import { configRequest, launchRequest } from './requests.ts';

const approvalOperations: string[] = [];
const page: ApprovalChannel = {
  name: 'page',
  available: async () => true,
  ask: async (id) => {
    approvalOperations.push(id);
  },
};
const withApproval =
  (operation: string) =>
  (file: PolicyFile): PolicyFile => ({
    ...file,
    rules: file.rules.map((rule) =>
      rule.operation === operation ? { ...rule, effect: 'require_approval' as const } : rule,
    ),
  });

let home: Home;
beforeEach(() => {
  approvalOperations.length = 0;
});
afterEach(async () => {
  await home.close();
  await home.sandbox.close();
});
const start = async (operation: string, deps: Partial<ExecutionDeps> = {}) => {
  home = await Home.withoutMarket({ policy: withApproval(operation), deps: { channels: [page], ...deps } });
};
const approve = (id = '') => home.ledger.answerApproval(id, { state: 'approved', channel: 'page' });

describe('a launch that needs approval', () => {
  it('is asked about once, as a whole, with nothing signed before the approval; then it executes', async () => {
    await start('launch');
    const { plan } = await home.build('dammLaunch', await launchRequest(home));
    const id = plan?.planId ?? '';
    expect(plan).toMatchObject({
      status: 'approval_required',
      decision: { reasonCodes: ['APPROVAL_REQUIRED'] },
    });
    expect(approvalOperations).toEqual([]);

    expect(await home.submit(id)).toMatchObject({ status: 'approval_required' });
    expect(await home.submit(id)).toMatchObject({ status: 'approval_required' });
    expect(new Set(approvalOperations).size).toBe(1);
    expect(home.signatures).toBe(0);
    const [row] = await home.ledger.rows('approvals', { planId: id });
    expect(row).toMatchObject({ state: 'pending', planId: id });
    if (row === undefined) throw new Error('nothing was asked');
    expect(row.stages).toEqual(expect.arrayContaining(['create_token', 'launch']));
    expect(maxOut(row, 'SOL')).toBeGreaterThan(10n);

    await approve(row.id);
    expect(await home.submit(id)).toMatchObject({ status: 'complete' });
    expect((await home.ledger.rows('signedStages', { planId: id })).map(({ stageId }) => stageId)).toEqual(
      expect.arrayContaining(['create_token', 'launch']),
    );
  });

  it('keeps one question across rebuilds: a new blockhash asks nothing more', async () => {
    await start('launch');
    const { plan } = await home.build('dammLaunch', await launchRequest(home));
    const id = plan?.planId ?? '';
    for (let times = 0; times < 3; times++) {
      await home.submit(id);
      home.sandbox.advanceSlots(5);
    }
    expect(await home.ledger.rows('approvals', { planId: id })).toHaveLength(1);
    expect(new Set(approvalOperations).size).toBe(1);
  });

  it('continues on its own once another process records the approval', async () => {
    await start('launch', { timing: { answerMs: 20 } });
    const { plan } = await home.build('dammLaunch', await launchRequest(home));
    const id = plan?.planId ?? '';
    await home.submit(id);
    expect(home.signatures).toBe(0);
    const command = openLedger({ file: home.file, clock: home.deps.clock });
    await command.answerApproval(approvalOperations[0] ?? '', { state: 'approved', channel: 'command' });
    await command.close();
    await eventually(async () => expect(await home.plans.get(id)).toMatchObject({ status: 'complete' }));
  });

  it('is permanently denied if the owner denies it', async () => {
    await start('launch');
    const { plan } = await home.build('dammLaunch', await launchRequest(home));
    const id = plan?.planId ?? '';
    await home.submit(id);
    await home.ledger.answerApproval(approvalOperations[0] ?? '', { state: 'denied', channel: 'page' });
    expect(await home.submit(id)).toMatchObject({
      status: 'denied_by_owner',
      next: expect.stringContaining('A person denied it'),
    });
    expect(approvalOperations).toHaveLength(1);
    expect(home.signatures).toBe(0);
  });
});

describe('an approval', () => {
  it('of one plan does not cover another (B71)', async () => {
    await start('config');
    const first = await home.build('feeShareConfig', await configRequest(home, 1));
    await home.submit(first.plan?.planId ?? '');
    await approve(approvalOperations[0]);
    const second = await home.build('feeShareConfig', await configRequest(home, 2));
    expect(await home.submit(second.plan?.planId ?? '')).toMatchObject({ status: 'approval_required' });
    expect(home.signatures).toBe(0);
    expect(new Set(approvalOperations).size).toBe(2);
  });

  it('given late still counts if the rebuilt stages are the same', async () => {
    await start('config');
    const { plan } = await home.build('feeShareConfig', await configRequest(home, 1));
    await home.submit(plan?.planId ?? '');
    home.sandbox.advanceSlots(400);
    await approve(approvalOperations[0]);
    expect(await home.submit(plan?.planId ?? '')).toMatchObject({ planId: plan?.planId, status: 'complete' });
    expect(new Set(approvalOperations).size).toBe(1);
  });

  it('that expired is requested again (B71)', async () => {
    home = await Home.withoutMarket({
      policy: (file) => ({
        ...withApproval('config')(file),
        approval: { ttlSeconds: 10, channels: ['page'] },
      }),
      deps: { channels: [page] },
    });
    const { plan } = await home.build('feeShareConfig', await configRequest(home, 1));
    const id = plan?.planId ?? '';
    await home.submit(id);
    await approve(approvalOperations[0]);
    // Another process, an hour later.
    const later = home.again({
      deps: { ...home.deps, ledger: openLater(home), holder: 'later' },
    });
    expect(await later.submit(id)).toMatchObject({ status: 'approval_required' });
    expect(new Set(approvalOperations).size).toBe(2);
    await later.close();
  });
});

function openLater({ file, deps }: Home) {
  return openLedger({ file, clock: { ...deps.clock, now: () => deps.clock.now() + 3_600_000 } });
}
