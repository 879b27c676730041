/** Agent-visible results of an approval request, while open and after each outcome. */
import { afterEach, describe, expect, it } from 'vitest';
import { createAnswering } from '../../src/answering/answering.ts';
import type { ApprovalChannel } from '../../src/approval/types.ts';
import { sha256Text } from '../../src/base/canonicalJson.ts';
import { openLedger } from '../../src/ledger/sqlite/sqlite.ts';
import type { PolicyFile } from '../../src/policy/file/schema.ts';
import { openQuestions } from '../../src/presentation/question/readView.ts';
import { planText } from '../../tools/planResult.ts';
import { Home } from './home.ts';
import { configRequest } from './requests.ts';

const page: ApprovalChannel = { name: 'page', available: async () => true, ask: async () => undefined };
const asking =
  (ttlSeconds = 600) =>
  (file: PolicyFile): PolicyFile => ({
    ...file,
    rules: file.rules.map((rule) =>
      rule.operation === 'config' ? { ...rule, effect: 'require_approval' as const } : rule,
    ),
    approval: { ttlSeconds, channels: ['page'] },
  });

let home: Home;
afterEach(async () => {
  await home.close();
  await home.sandbox.close();
});

/** Creates a plan with an approval request. */
async function askQuestion(ttlSeconds?: number): Promise<{ planId: string; id: string }> {
  home = await Home.withoutMarket({
    policy: asking(ttlSeconds),
    deps: {
      channels: [page],
      answerAt: (id) => `the approval page (countersign open), or countersign approve ${id}`,
    },
  });
  const { plan } = await home.build('feeShareConfig', await configRequest(home, 1));
  const planId = plan?.planId ?? '';
  await home.submit(planId);
  const [row] = await home.ledger.rows('approvals', { planId });
  return { planId, id: row?.id ?? '' };
}
async function deny(id: string, reason?: string, ledger = home.ledger) {
  const [row] = await ledger.rows('approvals', { id });
  const approvalDigest = row?.approvalDigest ?? '';
  await createAnswering({ home: '/nowhere', ledger, ownerPublicKey: async () => undefined }).deny({
    id,
    approvalDigest,
    channel: 'page',
    reason,
  });
}

describe('an open question', () => {
  it('gives the agent its id, the places to answer, its expiry and the next step, as text too', async () => {
    const { planId, id } = await askQuestion();
    const plan = await home.plans.get(planId);
    expect(plan.approval).toMatchObject({ id, state: 'pending', where: expect.stringContaining(id) });
    expect(plan.approval?.where).toContain('countersign open');
    expect(plan.next).toContain('continues by itself');
    for (const expected of [id, plan.approval?.where, plan.approval?.expiresAt])
      expect(planText(plan)).toContain(expected);
  });
});

describe('a denied question', () => {
  it("states the owner's reason and announces no approval", async () => {
    const { planId, id } = await askQuestion();
    await deny(id, 'Too much for the \u202etreasury.\nAsk for half.');
    const plan = await home.submit(planId);
    expect(plan).toMatchObject({
      status: 'denied_by_owner',
      decision: {
        effect: 'deny',
        reasonCodes: ['PERSON_DENIED'],
        explain: 'A person was asked and denied this.',
      },
      approval: { id, state: 'denied', reason: 'Too much for the treasury. Ask for half.' },
      next: expect.stringContaining('Do not resubmit it'),
    });
    expect(planText(plan)).toContain('the person said "Too much for the treasury. Ask for half."');
    for (const expected of [JSON.stringify(plan), planText(plan)])
      expect(expected).not.toMatch(/require_approval|APPROVAL_REQUIRED|can approve|waits for them/);
    const again = await home.submit(planId);
    expect(again.approval).toEqual(plan.approval);
    expect(home.signatures).toBe(0);
  });

  it('is denied in every view at once, and can be asked again after a cancel', async () => {
    const { planId, id } = await askQuestion();
    await deny(id);
    const got = await home.plans.get(planId);
    expect(got).toMatchObject({
      status: 'denied_by_owner',
      decision: { effect: 'deny', reasonCodes: ['PERSON_DENIED'] },
      approval: { id, state: 'denied' },
    });
    expect(got.next).toContain('cancel_plan');
    expect(await home.plans.list({ limit: 5, offset: 0 })).toMatchObject([
      { planId, status: 'denied_by_owner' },
    ]);
    await home.plans.cancel(planId);
    const request = await configRequest(home, 1);
    const { plan } = await home.build('feeShareConfig', request, { again: true });
    await home.submit(plan?.planId ?? '');
    expect(await home.plans.get(plan?.planId ?? '')).toMatchObject({
      status: 'approval_required',
      approval: { state: 'pending' },
    });
  });

  it('omits an empty reason and redacts anything that resembles a key', async () => {
    const { planId, id } = await askQuestion();
    await deny(id, '  ');
    expect((await home.submit(planId)).approval).not.toHaveProperty('reason');
    const [row] = await home.ledger.rows('approvals', { id });
    expect(row).not.toHaveProperty('reason');
  });
});

describe('an expired question', () => {
  it('tells the agent that nothing was signed and that submit_plan asks again', async () => {
    const { planId, id } = await askQuestion(10);
    const clock = { ...home.deps.clock, now: () => home.deps.clock.now() + 11_000 };
    const ledger = openLedger({ file: home.file, clock });
    const later = home.again({ deps: { ...home.deps, ledger } });
    const plan = await later.plans.get(planId);
    expect(plan.approval).toMatchObject({ id, state: 'expired' });
    expect(plan.approval).not.toHaveProperty('where');
    expect(plan.next).toMatch(/No person answered .* nothing was signed\. submit_plan asks again/);
    expect(planText(plan)).toContain(`Approval ${id} expired`);
    await expect(deny(id, undefined, ledger)).rejects.toMatchObject({
      code: 'APPROVAL_EXPIRED',
      message: expect.stringMatching(/expired at \d{4}-\d\d-\d\d .* without an answer/),
    });
    await later.close();
  });
});

describe('a question whose plan has ended', () => {
  it('by a cancel is no longer listed and accepts no answer', async () => {
    const { planId, id } = await askQuestion();
    const plan = await home.plans.cancel(planId);
    expect(plan.status).toBe('cancelled');
    expect(plan).not.toHaveProperty('approval');
    await expect(deny(id)).rejects.toMatchObject({
      code: 'PLAN_ENDED',
      message: expect.stringContaining('The plan was cancelled'),
    });
    expect(await home.ledger.rows('approvals', { id })).toMatchObject([{ state: 'pending' }]);
  });

  it('by a newer plan of the same request accepts no answer', async () => {
    const { planId, id } = await askQuestion();
    const plan = (await home.ledger.planRows(planId))?.plan;
    if (plan === undefined) throw new Error('the plan is not stored');
    const on = { planId, revision: plan.revision, complete: false };
    await home.ledger.storePlan({ ...plan, planId: 'plan-newer', revision: 0 }, { on, again: true });
    await expect(deny(id)).rejects.toMatchObject({
      code: 'PLAN_ENDED',
      message: expect.stringContaining('A newer plan of the same request'),
    });
    expect(await home.plans.get(planId)).not.toHaveProperty('approval');
  });
});

describe('the questions of one plan', () => {
  it('are one at a time: a new question ends the open one, which accepts no answer', async () => {
    const { planId, id } = await askQuestion();
    const [first] = await home.ledger.rows('approvals', { id });
    if (first === undefined) throw new Error('nothing was asked');
    const scopeText = `${first.scopeText} `;
    const { state: _, ...row } = first;
    await home.ledger.askApproval({
      ...row,
      id: 'approval-other',
      scopeText,
      approvalDigest: sha256Text(scopeText),
    });
    const rows = await home.ledger.rows('approvals', { planId });
    expect(rows.map(({ state }) => state)).toEqual(['pending', 'expired']);
    await expect(deny(id)).rejects.toMatchObject({ code: 'APPROVAL_EXPIRED' });
  });

  it('end once the plan is complete', async () => {
    const { planId, id } = await askQuestion();
    await home.ledger.setPlanNote(planId, { status: 'complete' });
    expect(await openQuestions(home.ledger)).toEqual([]);
    expect(await home.plans.get(planId)).not.toHaveProperty('approval');
    await expect(deny(id)).rejects.toMatchObject({ code: 'PLAN_ENDED' });
  });
});

describe('a plan of a wallet without SOL', () => {
  it('names the wallet and the missing SOL instead of a policy denial', async () => {
    home = await Home.withoutMarket();
    const request = await configRequest(home, 1);
    home.sandbox.chain.setAccount(home.wallet, null);
    home.sandbox.advanceSlots(40);
    const { plan } = await home.build('feeShareConfig', request);
    expect(plan?.decision).toMatchObject({
      reasonCodes: ['SIMULATION_FAILED'],
      explain: expect.stringMatching(
        new RegExp(
          `would fail .*: the wallet ${home.wallet} has 0 SOL, and this takes up to 0\\.\\d+ SOL\\.$`,
        ),
      ),
      remedy: 'A person can send the missing SOL to the wallet.',
    });
    expect(plan?.lacks).toMatchObject([
      {
        needs: { asset: 'SOL', amount: expect.stringMatching(/^0\.\d+$/) },
        has: { asset: 'SOL', amount: '0' },
      },
    ]);
    expect(plan?.next).toContain('tell the person which wallet lacks how much');
  });
});
