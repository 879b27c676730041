/** A stage signed by this process is not signed again after its removal from the database (T134). */
import Libsql from 'libsql';
import { afterEach, describe, expect, it } from 'vitest';
import { createAnswering } from '../../src/answering/answering.ts';
import { answerCheck } from '../../src/approval/answers.ts';
import { tenantLedger } from '../../src/ledger/tenantLedger.ts';
import type { PolicyFile } from '../../src/policy/file/schema.ts';
import { passphrase, withOwner } from '../approval/owner.ts';
import { Home } from '../execution/home.ts';
import { ended } from '../execution/real.ts';
import { configRequest } from '../execution/requests.ts';
import { temporaryHome } from '../secrets/temporaryHome.ts';
import { testKey } from '../transaction/keys.ts';

const friend = testKey('friend').address;

const withPaymentApproval = (file: PolicyFile): PolicyFile => ({
  ...file,
  rules: [
    ...file.rules.filter(({ operation }) => operation !== 'send'),
    { id: 'pay', operation: 'send', effect: 'require_approval', why: 'a test', recipient: 'any' },
  ],
});

const homes: (readonly [home: Home, first: Home])[] = [];
afterEach(async () => {
  for (const [home, first] of homes.splice(0)) {
    await home.close();
    await ended(first);
  }
});

/** Starts a live home whose server checks for its own signatures. */
async function start() {
  const folder = temporaryHome();
  const ownerPublicKey = await withOwner(folder);
  const first = await Home.start({ policy: withPaymentApproval });
  const home = first.again({
    policy: withPaymentApproval,
    deps: {
      mode: 'live',
      ledger: tenantLedger(first.ledger),
      answerHolds: answerCheck({ mode: 'live', ownerPublicKey, now: () => Date.now() }),
    },
  });
  homes.push([home, first]);
  first.sandbox.advanceSlots(4);
  const answering = createAnswering({ home: folder, ledger: home.ledger, ownerPublicKey });
  return { home, answering };
}

/** Removes all records of signatures. */
function forget(home: Home): void {
  const db = new Libsql(home.file);
  const tables = ['journal', 'reservations', 'uses'];
  for (const table of [...tables, 'plan_notes']) db.prepare(`DELETE FROM ${table}`).run();
  db.close();
}

describe('signatures of this process', () => {
  it('T134 prevent a second payment under the same approval if removed from the database', async () => {
    const { home, answering } = await start();
    const request = { wallet: home.wallet, to: friend, amountRaw: '5000000' };
    const planId = (await home.plans.build('send', request)).plan?.planId ?? '';
    await home.submit(planId);
    const [row] = await home.ledger.rows('approvals', { planId });
    const { id = '', approvalDigest = '' } = row ?? {};
    await answering.approve({ id, approvalDigest, channel: 'command', passphrase: passphrase() });
    expect(await home.submit(planId)).toMatchObject({ status: 'complete' });
    await home.plans.idle();
    forget(home);
    await home.submit(planId).catch(() => undefined);
    await home.plans.idle();
    expect(home.sandbox.chain.getAccount(friend)?.lamports).toBe(5_000_000n);
    await expect(home.submit(planId)).rejects.toMatchObject({ code: 'LEDGER_LOST' });
  });

  it('do not block a plan of several stages while the ledger keeps them', async () => {
    const { home } = await start();
    const { plan } = await home.build('feeShareConfig', await configRequest(home, 40));
    expect(await home.submit(plan?.planId ?? '')).toMatchObject({ status: 'complete' });
    expect(home.signatures).toBeGreaterThan(1);
  });
});
