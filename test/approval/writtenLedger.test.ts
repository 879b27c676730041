/** Writes to the ledger's database by other programs cannot change the meaning of an owner's approval (T133). */
import Libsql from 'libsql';
import { afterEach, describe, expect, it } from 'vitest';
import { createAnswering } from '../../src/answering/answering.ts';
import { answerCheck } from '../../src/approval/answers.ts';
import { seal } from '../../src/ledger/sqlite/seal.ts';
import type { ApprovalRow } from '../../src/ledger/types.ts';
import type { Plan } from '../../src/plan/types.ts';
import type { PolicyFile } from '../../src/policy/file/schema.ts';
import { readApprovalView } from '../../src/presentation/question/readView.ts';
import { Home, type HomeOptions } from '../execution/home.ts';
import { ended } from '../execution/real.ts';
import { temporaryHome } from '../secrets/temporaryHome.ts';
import { testKey } from '../transaction/keys.ts';
import { passphrase, withOwner } from './owner.ts';

const friend = testKey('friend').address;
const thief = testKey('thief').address;

const withPaymentApproval = (file: PolicyFile): PolicyFile => ({
  ...file,
  rules: [
    ...file.rules.filter(({ operation }) => operation !== 'send'),
    { id: 'pay', operation: 'send', effect: 'require_approval', why: 'a test', recipient: 'any' },
  ],
});

const homes: Home[] = [];
afterEach(async () => {
  for (const home of homes.splice(0).reverse()) await ended(home);
});

/** A live home whose owner has the owner key, with a small payment that waits for an approval and the next submit. */
async function askQuestion() {
  const folder = temporaryHome();
  const ownerPublicKey = await withOwner(folder);
  const options: HomeOptions = {
    policy: withPaymentApproval,
    deps: { mode: 'live', answerHolds: answerCheck({ mode: 'live', ownerPublicKey, now: () => Date.now() }) },
  };
  const first = await Home.start(options);
  homes.push(first);
  first.sandbox.advanceSlots(4);
  const request = { wallet: first.wallet, to: friend, amountRaw: '5000000' };
  const { plan } = await first.plans.build('send', request);
  const planId = plan?.planId ?? '';
  expect(await first.submit(planId)).toMatchObject({ status: 'approval_required' });
  // The process that asked would continue by itself after an approval.
  await first.plans.stop();
  const home = first.again(options);
  homes.push(home);
  const answering = createAnswering({ home: folder, ledger: home.ledger, ownerPublicKey });
  const approve = async () => {
    const { id, approvalDigest } = await rowOf(home, planId);
    await answering.approve({ id, approvalDigest, channel: 'command', passphrase: passphrase() });
  };
  return { home, planId, approve };
}

async function rowOf(home: Home, planId: string): Promise<ApprovalRow> {
  const [row] = await home.ledger.rows('approvals', { planId });
  if (row === undefined) throw new Error('no person was asked');
  return row;
}

/** The payment plan with the attacker's terms, and the question about it from the attacker's own ledger. */
async function stolen(
  home: Home,
  planId: string,
): Promise<{ readonly plan: Plan; readonly scopeText: string }> {
  const own = Home.over(home.sandbox, `${home.file}-of-the-thief`, {
    policy: withPaymentApproval,
    deps: { mode: 'live' },
  });
  const request = { wallet: home.wallet, to: thief, amountRaw: '1000000000' };
  const built = (await own.plans.build('send', request)).plan?.planId ?? '';
  const [theirs, known] = [
    (await own.ledger.planRows(built))?.plan,
    (await home.ledger.planRows(planId))?.plan,
  ];
  if (theirs === undefined || known === undefined) throw new Error('no plan');
  const plan = { ...theirs, planId, intentKey: known.intentKey };
  await own.close();
  const again = Home.over(home.sandbox, `${home.file}-of-the-thief-too`, {
    policy: withPaymentApproval,
    deps: { mode: 'live' },
  });
  await again.ledger.storePlan(plan);
  await again.submit(planId);
  const { scopeText } = await rowOf(again, planId);
  await again.close();
  return { plan, scopeText };
}

/** Writes rows directly to the database, with matching digests. */
function write(home: Home, plan: Plan, row: ApprovalRow): void {
  const db = new Libsql(home.file);
  const [body, question] = [JSON.stringify(plan), JSON.stringify(row)];
  db.prepare('UPDATE plans SET body = ?, seal = ? WHERE plan_id = ?').run(
    body,
    seal(plan.planId, plan.principal, body),
    plan.planId,
  );
  db.prepare('UPDATE approvals SET body = ?, seal = ? WHERE id = ?').run(
    question,
    seal(row.id, row.planId, row.approvalDigest, question),
    row.id,
  );
  db.close();
}

const lamportsOf = (home: Home, address: string) => home.sandbox.chain.getAccount(address)?.lamports ?? 0n;

describe('an approval by the owner key in a ledger that other code can write', () => {
  it('T133 does not pay an attacker whose plan and question replace the approved ones', async () => {
    const { home, planId, approve } = await askQuestion();
    await approve();
    const { plan, scopeText } = await stolen(home, planId);
    write(home, plan, { ...(await rowOf(home, planId)), scopeText });
    await home.submit(planId).catch(() => undefined);
    expect({ signatures: home.signatures, thief: lamportsOf(home, thief) }).toEqual({
      signatures: 0,
      thief: 0n,
    });
    await expect(home.submit(planId)).rejects.toMatchObject({ code: 'LEDGER_CORRUPT' });
  });

  it('T133 does not pay the attacker if only the plan was replaced: the owner is asked again', async () => {
    const { home, planId, approve } = await askQuestion();
    await approve();
    const { plan } = await stolen(home, planId);
    write(home, plan, await rowOf(home, planId));
    expect(await home.submit(planId)).toMatchObject({ status: 'approval_required' });
    expect(home.signatures).toBe(0);
  });

  it('T133 does not show a question whose text does not match its digest', async () => {
    const { home, planId } = await askQuestion();
    const { plan, scopeText } = await stolen(home, planId);
    const row = await rowOf(home, planId);
    expect((await readApprovalView(home.ledger, row.id))?.approvalDigest).toBe(row.approvalDigest);
    write(home, plan, { ...row, scopeText });
    await expect(readApprovalView(home.ledger, row.id)).rejects.toMatchObject({ code: 'LEDGER_CORRUPT' });
  });

  it('executes the approved payment if nothing was changed', async () => {
    const { home, planId, approve } = await askQuestion();
    await approve();
    expect(await home.submit(planId)).toMatchObject({ status: 'complete' });
    expect({ signatures: home.signatures, friend: lamportsOf(home, friend) }).toEqual({
      signatures: 1,
      friend: 5_000_000n,
    });
  });
});
