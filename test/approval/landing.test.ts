/** Approvals and execution on a real sandbox: each approved transaction lands once, all others never. */
import { afterEach, describe, expect, it } from 'vitest';
import { createAnswering } from '../../src/answering/answering.ts';
import { answerCheck } from '../../src/approval/answers.ts';
import { decideStage, inForce } from '../../src/execution/deciding/decide.ts';
import { readSnapshot } from '../../src/execution/status.ts';
import type { ApprovalRow } from '../../src/ledger/types.ts';
import type { PolicyFile } from '../../src/policy/file/schema.ts';
import { Home, type HomeOptions } from '../execution/home.ts';
import { configRequest } from '../execution/requests.ts';
import { temporaryHome } from '../secrets/temporaryHome.ts';
import { passphrase, withOwner } from './owner.ts';

const withConfigApproval = (file: PolicyFile): PolicyFile => ({
  ...file,
  rules: file.rules.map((rule) =>
    rule.operation === 'config' ? { ...rule, effect: 'require_approval' } : rule,
  ),
});

let homes: Home[] = [];
afterEach(async () => {
  for (const home of homes) await home.close();
  for (const sandbox of new Set(homes.map((home) => home.sandbox))) await sandbox.close();
  homes = [];
});

async function start(options: HomeOptions = {}): Promise<Home> {
  const home = await Home.start({ policy: withConfigApproval, ...options });
  homes.push(home);
  return home;
}

/** Submits a plan that needs an approval: the question is asked, nothing is signed. */
async function askPlan(home: Home, extra: Readonly<Record<string, unknown>> = {}) {
  const request = await configRequest(home, 2, extra);
  const { plan } = await home.build('feeShareConfig', request);
  const planId = plan?.planId ?? '';
  expect(await home.submit(planId)).toMatchObject({ status: 'approval_required' });
  expect(await signed(home, planId)).toEqual([]);
  const row = await question(home, planId);
  return { planId, request, row };
}

async function question(home: Home, planId: string): Promise<ApprovalRow> {
  const [row] = await home.ledger.rows('approvals', { planId });
  if (row === undefined) throw new Error('no person was asked');
  return row;
}

/** Returns the stages that were signed and may have landed, in order. */
const signed = async (home: Home, planId: string) =>
  (await home.ledger.rows('signedStages', { planId })).map(({ stageId }) => stageId);

const approve = (home: Home, { id }: ApprovalRow) =>
  home.ledger.answerApproval(id, { state: 'approved', channel: 'command' });

/** Expires every blockhash of the chain, as while an owner takes their time. */
const expireBlockhashes = (home: Home) => home.sandbox.advanceSlots(400);

describe('a plan that needs approval', () => {
  it('executes after approval, and each stage uses it once', async () => {
    const home = await start();
    const { planId, row } = await askPlan(home);
    await approve(home, row);
    expect(await home.submit(planId)).toMatchObject({ status: 'complete' });
    expect(await signed(home, planId)).toEqual(row.stages);
    expect(await home.ledger.rows('approvals', { planId })).toHaveLength(1);
  });

  it('has one question while the question is open', async () => {
    const home = await start();
    const { planId, row } = await askPlan(home);
    expect(await home.submit(planId)).toMatchObject({ status: 'approval_required' });
    expect(await home.submit(planId)).toMatchObject({ status: 'approval_required' });
    expect((await home.ledger.rows('approvals', { planId })).map(({ id }) => id)).toEqual([row.id]);
    expect(home.signatures).toBe(0);
  });

  it('is asked about as a whole, even if a later stage was denied in an earlier decision', async () => {
    const home = await start();
    const { plan } = await home.build('feeShareConfig', await configRequest(home, 40));
    const snapshot = await readSnapshot(home.ledger, plan?.planId ?? '');
    if (snapshot === undefined) throw new Error('no plan');
    const { planId, intentKey, wallet, stages } = snapshot.plan;
    const ids = stages.filter(({ optional }) => !optional).map(({ id }) => id);
    const [first = '', last = ''] = [ids[0], ids.at(-1)];
    expect(last).not.toBe(first);
    const now = () => inForce(home.deps, snapshot.plan, first);
    const parts = async () =>
      (await decideStage(home.deps, snapshot.plan, snapshot.states, first, await now())).run?.open.map(
        ({ stageId }) => stageId,
      );
    expect(await parts()).toEqual(ids);
    const records = await home.ledger.rows('decisions', { planId });
    const known = records.find(({ stageId }) => stageId === last);
    const seen = known && (await home.ledger.rows('decisions', { id: known.id, inputs: true }))[0]?.made;
    if (known === undefined || seen === undefined) throw new Error('nothing was previewed');
    const { statement: _, bytesDigest: _digest, ...rest } = known.decision;
    const decision = { ...rest, effect: 'deny' as const };
    const about = { planId, stageId: last, intentKey, wallet, purpose: 'preview' as const };
    await home.ledger.recordDecision({ ...about, decision, ...seen });
    expect(await parts()).toEqual(ids);
    const newest = (await home.ledger.rows('decisions', { planId })).find(({ stageId }) => stageId === last);
    expect(newest?.decision.effect).toBe('require_approval');
  });

  it('is never signed after a denial', async () => {
    const home = await start();
    const { planId, row } = await askPlan(home);
    await home.ledger.answerApproval(row.id, { state: 'denied', channel: 'page' });
    expect(await home.submit(planId)).toMatchObject({ status: 'denied_by_owner' });
    expect(await home.submit(planId)).toMatchObject({ status: 'denied_by_owner' });
    expect(home.signatures).toBe(0);
  });

  it('executes on a late approval without a second question, though the service had to rebuild it', async () => {
    const home = await start();
    const { planId, row } = await askPlan(home);
    expireBlockhashes(home);
    await approve(home, row);
    const done = await home.submit(planId);
    expect(done).toMatchObject({ status: 'complete' });
    expect((await home.ledger.planRows(planId))?.plan.revision).toBeGreaterThan(0);
    expect(await home.ledger.rows('approvals', { planId })).toHaveLength(1);
  });

  it('does not share its approval with another plan', async () => {
    // The first plan is not continued automatically after its approval.
    const home = await start({ deps: { timing: { answerMs: 3_600_000 } } });
    const first = await askPlan(home);
    await approve(home, first.row);
    const second = await askPlan(home);
    expect(second.row.id).not.toBe(first.row.id);
    // The first plan may be signed meanwhile, since its owner approved it.
    expect(await home.submit(second.planId)).toMatchObject({ status: 'approval_required' });
    expect(await signed(home, second.planId)).toEqual([]);
  });

  it('does not execute on an approval that another process has used', async () => {
    const home = await start();
    const { planId, row } = await askPlan(home);
    await approve(home, row);
    const other = home.again({ policy: withConfigApproval });
    homes.push(other);
    const [one, two] = await Promise.allSettled([home.submit(planId), other.submit(planId)]);
    expect([one.status, two.status]).toContain('fulfilled');
    await home.plans.idle();
    await other.plans.idle();
    const rows = await home.ledger.rows('journal', { planId });
    expect(new Set(rows.map(({ stageId }) => stageId)).size).toBe(rows.length);
    expect(await signed(home, planId)).toEqual(row.stages);
  });
});

describe('a rebuild that differs from the approved plan', () => {
  const tip = { tipWallet: '9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM', tipLamports: 1_000_000 };
  const changes: Record<string, (fields: Readonly<Record<string, unknown>>) => Record<string, unknown>> = {
    'one claimer': ({ claimersArray }) => ({
      claimersArray: Array.isArray(claimersArray) ? [tip.tipWallet, ...claimersArray.slice(1)] : [],
    }),
    'one basis point': ({ basisPointsArray }) => ({
      basisPointsArray: Array.isArray(basisPointsArray)
        ? [basisPointsArray[0] + 1, basisPointsArray[1] - 1]
        : [],
    }),
    'one lamport': () => ({ tipLamports: tip.tipLamports + 1 }),
    'the admin': () => ({ admin: tip.tipWallet }),
  };
  for (const [label, change] of Object.entries(changes)) {
    it(`refuses to sign ${label}`, async () => {
      let evil = false;
      const home: Home = await start({
        deps: {
          service: {
            call: (endpoint, fields) => home.call(endpoint, evil ? { ...fields, ...change(fields) } : fields),
          },
        },
      });
      const { planId, row } = await askPlan(home, tip);
      await approve(home, row);
      expireBlockhashes(home);
      evil = true;
      const ended = await home.submit(planId);
      expect((await home.ledger.planRows(planId))?.plan.revision).toBeGreaterThan(0);
      expect(ended.status).toBe('denied');
      expect(ended.decision.reasonCodes).toContain('REQUEST_MISMATCH');
      expect(home.signatures).toBe(0);
      expect(await signed(home, planId)).toEqual([]);
    });
  }
});

describe('in live mode', () => {
  async function liveHome() {
    const folder = temporaryHome();
    const ownerPublicKey = await withOwner(folder);
    const now = () => Date.now();
    const home = await start({
      deps: { mode: 'live', answerHolds: answerCheck({ mode: 'live', ownerPublicKey, now }) },
    });
    const answering = createAnswering({ home: folder, ledger: home.ledger, ownerPublicKey });
    return { home, answering };
  }

  it('executes on an approval by the owner key', async () => {
    const { home, answering } = await liveHome();
    const { planId, row } = await askPlan(home);
    const { id, approvalDigest } = row;
    await answering.approve({ id, approvalDigest, channel: 'command', passphrase: passphrase() });
    expect(await home.submit(planId)).toMatchObject({ status: 'complete' });
  });

  it('signs nothing for a row written without the owner key', async () => {
    for (const channel of ['command', 'page', 'elicitation'] as const) {
      const { home } = await liveHome();
      const { planId, row } = await askPlan(home);
      await home.ledger.answerApproval(row.id, { state: 'approved', channel, statement: '{"version":1}' });
      expect(await home.submit(planId)).toMatchObject({ status: 'approval_required' });
      expect(home.signatures).toBe(0);
    }
  });

  it('signs nothing on an approval of another question', async () => {
    const { home, answering } = await liveHome();
    const first = await askPlan(home);
    const { id, approvalDigest } = first.row;
    const answered = await answering.approve({
      id,
      approvalDigest,
      channel: 'command',
      passphrase: passphrase(),
    });
    // The server continues the first plan automatically.
    expect(await home.submit(first.planId)).toMatchObject({ status: 'complete' });
    const signed = home.signatures;
    const second = await askPlan(home);
    await home.ledger.answerApproval(second.row.id, {
      state: 'approved',
      channel: 'command',
      ...(answered.statement === undefined ? {} : { statement: answered.statement }),
    });
    expect(await home.submit(second.planId)).toMatchObject({ status: 'approval_required' });
    expect(home.signatures).toBe(signed);
    expect(await home.ledger.rows('journal', { planId: second.planId })).toEqual([]);
  });

  it('accepts no approval if no answer verification is configured', async () => {
    const home = await start({ deps: { mode: 'live' } });
    const { planId, row } = await askPlan(home);
    await approve(home, row);
    expect(await home.submit(planId)).toMatchObject({ status: 'approval_required' });
    expect(home.signatures).toBe(0);
  });
});
