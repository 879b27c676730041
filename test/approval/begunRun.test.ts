/**
 * An approved run may be finished for a day after its first signature, so that a partly landed plan is not stuck. Later
 * stages need a new approval.
 */

import { createHmac } from 'node:crypto';
import Libsql from 'libsql';
import { afterEach, describe, expect, it } from 'vitest';
import { createAnswering } from '../../src/answering/answering.ts';
import { answerCheck } from '../../src/approval/answers.ts';
import { createRunSeal } from '../../src/approval/runSeal.ts';
import { canonicalJson } from '../../src/base/canonicalJson.ts';
import type { ApprovalRow } from '../../src/ledger/types.ts';
import type { PolicyFile } from '../../src/policy/file/schema.ts';
import { Home } from '../execution/home.ts';
import { ended } from '../execution/real.ts';
import { configRequest } from '../execution/requests.ts';
import { temporaryHome } from '../secrets/temporaryHome.ts';
import { passphrase, withOwner } from './owner.ts';

/** The ledger key in the secret store of this home. */
const KEY = Buffer.alloc(32, 7);
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const withConfigApproval = (file: PolicyFile): PolicyFile => ({
  ...file,
  rules: file.rules.map((rule) =>
    rule.operation === 'config' ? { ...rule, effect: 'require_approval' } : rule,
  ),
});

let home: Home | undefined;
afterEach(async () => {
  if (home !== undefined) await ended(home);
  home = undefined;
});

/** A home whose owner has the owner key, with a service that can be made to fail and a clock that can be advanced. */
async function start() {
  const folder = temporaryHome();
  const ownerPublicKey = await withOwner(folder);
  const state = { later: 0, isDown: false };
  const now = () => Date.now() + state.later;
  const runs = createRunSeal({
    ledger: {
      rows: (table, filter) => started.ledger.rows(table, filter),
      setNote: (key, value) => started.ledger.setNote(key, value),
      time: () => started.ledger.time(),
    },
    key: async () => KEY,
  });
  const started: Home = await Home.start({
    policy: withConfigApproval,
    clock: (time) => ({ ...time, now: () => time.now() + state.later }),
    deps: {
      mode: 'live',
      answerHolds: answerCheck({ mode: 'live', ownerPublicKey, now, began: runs.began }),
      runBegan: runs.begin,
      service: {
        call: async (endpoint, fields) => {
          if (state.isDown) throw new Error('the service is down');
          return started.call(endpoint, fields);
        },
      },
    },
  });
  home = started;
  const answering = createAnswering({ home: folder, ledger: started.ledger, ownerPublicKey });
  const approve = async (planId: string) => {
    const [row] = await started.ledger.rows('approvals', { planId });
    const { id = '', approvalDigest = '' } = row ?? {};
    await answering.approve({ id, approvalDigest, channel: 'command', passphrase: passphrase() });
  };
  /** A config of forty claimers whose lookup table lands before the service goes down. */
  const begun = async () => {
    const { plan } = await started.build('feeShareConfig', await configRequest(started, 40));
    const planId = plan?.planId ?? '';
    expect(await started.submit(planId)).toMatchObject({ status: 'approval_required' });
    state.isDown = true;
    await approve(planId);
    await expect(started.submit(planId)).rejects.toThrow('the service is down');
    expect(started.signatures).toBeGreaterThan(0);
    await started.plans.idle();
    state.isDown = false;
    return planId;
  };
  return { home: started, state, begun, approve, folder };
}

it('finishes a started run hours after its approval would have expired', async () => {
  const { home, state, begun } = await start();
  const planId = await begun();
  state.later += 23 * HOUR;
  expect(await home.submit(planId)).toMatchObject({ status: 'complete' });
  expect(await home.ledger.rows('approvals', { planId })).toHaveLength(1);
});

it('asks again about the remaining stages a day after the first signature', async () => {
  const { home, state, begun, approve } = await start();
  const planId = await begun();
  const signed = home.signatures;
  state.later += 25 * HOUR;
  expect(await home.submit(planId)).toMatchObject({ status: 'approval_required' });
  expect(home.signatures).toBe(signed);
  expect(await home.ledger.rows('approvals', { planId })).toHaveLength(2);
  await approve(planId);
  expect(await home.submit(planId)).toMatchObject({ status: 'complete' });
});

it('expires on time if nothing was signed', async () => {
  const { home, state, approve } = await start();
  const { plan } = await home.build('feeShareConfig', await configRequest(home, 40));
  const planId = plan?.planId ?? '';
  expect(await home.submit(planId)).toMatchObject({ status: 'approval_required' });
  state.isDown = true;
  await approve(planId);
  state.later += 11 * MINUTE;
  state.isDown = false;
  expect(await home.submit(planId)).toMatchObject({ status: 'approval_required' });
  expect(home.signatures).toBe(0);
});

describe('direct writes to the ledger', () => {
  /** An approval that expired before the first signature, with rows that claim a stage used it in time. */
  async function revived(note?: (row: ApprovalRow) => string) {
    const parts = await start();
    const { home, state, approve } = parts;
    const { plan } = await home.build('feeShareConfig', await configRequest(home, 40));
    const planId = plan?.planId ?? '';
    await home.submit(planId);
    state.isDown = true;
    await approve(planId);
    state.later += 11 * MINUTE;
    state.isDown = false;
    const [row] = await home.ledger.rows('approvals', { planId });
    if (row === undefined) throw new Error('nothing was asked');
    const db = new Libsql(home.file);
    // Belongs to no plan, so that no stage of the run appears signed.
    const reservation =
      "INSERT INTO reservations VALUES (999, ?, ?, 'elsewhere', 'config-1', ?, 1, 'settled', ?, NULL, ?)";
    db.prepare(reservation).run(home.wallet, row.network, row.intentKey, row.createdAt + 1, row.id);
    db.close();
    if (note !== undefined) await home.ledger.setNote(`run under ${row.id}`, note(row));
    const [read] = await home.ledger.rows('approvals', { planId });
    expect(read).toMatchObject({ state: 'approved', run: { firstSigned: row.createdAt + 1 } });
    return { ...parts, planId };
  }

  it('cannot revive an expired approval by marking it as used by a stage (T57)', async () => {
    const { home, planId } = await revived();
    expect(await home.submit(planId)).toMatchObject({ status: 'approval_required' });
    expect(home.signatures).toBe(0);
    expect(await home.ledger.rows('approvals', { planId })).toHaveLength(2);
  });

  it('cannot revive an expired approval with a seal of another key (T57)', async () => {
    const { home, planId } = await revived((row) => {
      const at = row.createdAt + 1;
      const sealText = canonicalJson([
        'countersign run under an approval v1',
        ...[row.id, row.approvalDigest, row.expiresAt, at],
      ]);
      return JSON.stringify({ at, seal: createHmac('sha256', '').update(sealText).digest('hex') });
    });
    expect(await home.submit(planId)).toMatchObject({ status: 'approval_required' });
    expect(home.signatures).toBe(0);
  });

  it('cannot extend a run by changing the time of its first signature (T57)', async () => {
    const { home, state, begun } = await start();
    const planId = await begun();
    const signed = home.signatures;
    const [row] = await home.ledger.rows('approvals', { planId });
    const db = new Libsql(home.file);
    db.prepare('UPDATE reservations SET time = ?').run((row?.expiresAt ?? 0) - 1);
    db.close();
    state.later += 24 * HOUR + MINUTE;
    expect(await home.submit(planId)).toMatchObject({ status: 'approval_required' });
    expect(home.signatures).toBe(signed);
  });
});
