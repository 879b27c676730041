/**
 * One approval request per plan, over two real servers of one home: through restarts, expiry, denial, approval, and the
 * plan's end.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { approveCommand } from '../../src/cli/approvals/approve.ts';
import { denyCommand } from '../../src/cli/approvals/deny.ts';
import { pendingCommand } from '../../src/cli/approvals/pending.ts';
import { acceptPolicyCommand } from '../../src/cli/policy/policyAccept.ts';
import { systemClock } from '../../src/clock.ts';
import { openLedger } from '../../src/ledger/sqlite/sqlite.ts';
import type { ApprovalRow } from '../../src/ledger/types.ts';
import { OWNER_PASSPHRASE, withOwner } from '../approval/owner.ts';
import { run as ran } from '../cli/terminal.ts';
import { eventually } from '../eventually.ts';
import { type McpProcess, object, objects, someAddress, text } from './harness.ts';
import { configArguments, openSharedHome, type SharedHome } from './sharedHome.ts';

/** Creates a home whose policy requires approval for everything, and a way to start servers on it. */
async function askingHome(ttlSeconds: number) {
  const shared = await openSharedHome(40);
  const servers: McpProcess[] = [];
  const { home } = shared.wallet;
  const policy = join(home, 'policy.json');
  const file = object(JSON.parse(readFileSync(policy, 'utf8')));
  const rules = objects(file.rules).map((rule) => ({ ...rule, effect: 'require_approval' }));
  const approval = { ttlSeconds, channels: ['page', 'command'] };
  writeFileSync(policy, JSON.stringify({ ...file, rules, approval }), { mode: 0o600 });
  const owner = text(await (await withOwner(home))());
  const serve = async () => {
    const server = await shared.serve({ COUNTERSIGN_NO_BROWSER: '1', COUNTERSIGN_OWNER_PUBLIC_KEY: owner });
    servers.push(server);
    return server;
  };
  const close = async () => {
    for (const server of servers) await server.stop();
    shared.close();
  };
  return { home, shared, serve, close };
}

async function built(server: McpProcess, { wallet }: SharedHome): Promise<string> {
  const fields = await configArguments(server, wallet.address, [someAddress()]);
  return text(object((await server.ok('create_fee_share_config', fields)).plan).planId);
}

/** Submits a plan; retries while the other client holds the wallet. */
async function submit(server: McpProcess, planId: string, waitSeconds = 30) {
  for (;;) {
    const { isError, data, text: output } = await server.call('submit_plan', { planId, waitSeconds });
    if (!isError) return object(data.plan);
    expect(output).toContain('WALLET_BUSY');
  }
}
const planOf = async (server: McpProcess, planId: string) =>
  object((await server.ok('get_plan', { planId })).plan);

async function questionsOf(home: string, planId: string): Promise<ApprovalRow[]> {
  const ledger = openLedger({ home, clock: systemClock });
  return ledger.rows('approvals', { planId }).finally(() => ledger.close());
}
const pendingIn = async (home: string) =>
  objects(
    object(JSON.parse((await ran(pendingCommand, { home, words: [], options: { json: true } })).out)).pending,
  );

describe('two clients of one home', () => {
  let asking: Awaited<ReturnType<typeof askingHome>>;
  let one: McpProcess;
  let two: McpProcess;
  beforeAll(async () => {
    asking = await askingHome(600);
    one = await asking.serve();
    two = await asking.serve();
  });
  afterAll(() => asking.close());

  it('two clients, a kill and a restart lead to one question; its approval executes the plan and ends the question', async () => {
    const { home, shared, serve } = asking;
    const planId = await built(one, shared);
    // Both at once, and each again.
    const first = await Promise.all([one, two, one, two].map((server) => submit(server, planId)));
    const [approvalRow, ...others] = await questionsOf(home, planId);
    expect(others).toEqual([]);
    for (const plan of first)
      expect(plan).toMatchObject({ status: 'approval_required', approval: { id: approvalRow?.id } });
    await one.stop('SIGKILL');
    const again = await serve();
    one = again;
    expect(await submit(again, planId)).toMatchObject({
      approval: { id: approvalRow?.id, state: 'pending' },
    });
    expect(await questionsOf(home, planId)).toHaveLength(1);

    const words = [approvalRow?.id ?? ''];
    const typed = [OWNER_PASSPHRASE];
    expect(await ran(approveCommand, { home, words, typed })).toMatchObject({ code: 0 });
    await Promise.all([again, two].map((server) => submit(server, planId, 60)));
    await eventually(async () => expect(await planOf(two, planId)).toMatchObject({ status: 'complete' }));
    // Neither client is asked about a completed plan, and a second approval is rejected.
    for (const server of [again, two])
      expect(await submit(server, planId)).toMatchObject({ status: 'complete' });
    expect(await questionsOf(home, planId)).toMatchObject([{ state: 'approved' }]);
    expect(await pendingIn(home)).toEqual([]);
    const late = await ran(approveCommand, { home, words, typed });
    expect([late.code, late.error === undefined]).not.toEqual([0, true]);
    expect(late.prompts).toEqual([]);
    expect((await shared.history()).filter(({ failed }) => failed)).toEqual([]);
  });

  it('a denial reaches the other client at once, and no client is asked again', async () => {
    const { home, shared } = asking;
    const planId = await built(one, shared);
    await submit(one, planId);
    const [approvalRow] = await questionsOf(home, planId);
    expect(await ran(denyCommand, { home, words: [approvalRow?.id ?? ''] })).toMatchObject({ code: 0 });
    expect(await planOf(two, planId)).toMatchObject({
      status: 'denied_by_owner',
      approval: { state: 'denied' },
      next: expect.stringContaining('cancel_plan'),
    });
    const both = await Promise.all([one, two].map((server) => submit(server, planId)));
    for (const plan of both) expect(plan).toMatchObject({ status: 'denied_by_owner' });
    expect(await questionsOf(home, planId)).toMatchObject([{ id: approvalRow?.id, state: 'denied' }]);
    expect(await pendingIn(home)).toEqual([]);
  });

  it('a policy that stops asking ends an open question: one server signs the plan, and no question stays open', async () => {
    const { home, shared } = asking;
    const planId = await built(one, shared);
    await submit(one, planId);
    const [approvalRow] = await questionsOf(home, planId);
    expect(approvalRow).toMatchObject({ state: 'pending' });
    const policy = join(home, 'policy.json');
    const file = object(JSON.parse(readFileSync(policy, 'utf8')));
    const rules = objects(file.rules).map((rule) => ({ ...rule, effect: 'allow' }));
    writeFileSync(policy, JSON.stringify({ ...file, rules }), { mode: 0o600 });
    const accepted = await ran(acceptPolicyCommand, {
      ...{ home, words: ['accept', policy], typed: [OWNER_PASSPHRASE] },
    });
    expect(accepted).toMatchObject({ code: 0 });
    await eventually(async () => expect(await submit(two, planId, 60)).toMatchObject({ status: 'complete' }));
    for (const server of [one, two]) {
      const plan = await planOf(server, planId);
      expect(plan).toMatchObject({ status: 'complete' });
      expect(JSON.stringify(plan)).not.toMatch(/"state":"pending"|require_approval/);
    }
    expect(await questionsOf(home, planId)).toHaveLength(1);
    expect(await pendingIn(home)).toEqual([]);
    const words = [approvalRow?.id ?? ''];
    const late = await ran(approveCommand, { home, words, typed: [OWNER_PASSPHRASE] });
    expect(late.error).toMatchObject({ message: expect.stringContaining('The plan has ended') });
    const shown = await ran(pendingCommand, { home, words });
    expect(shown.out).toContain('there is nothing left to answer');
  });
});

it('an expired question is asked once more, by the first of two clients after a restart, and the old one accepts no answer', async () => {
  const { home, shared, serve, close } = await askingHome(10);
  onTestFinished(close);
  const one = await serve();
  const planId = await built(one, shared);
  await submit(one, planId);
  const [approvalRow] = await questionsOf(home, planId);
  await one.stop('SIGKILL');
  await eventually(async () =>
    expect(await questionsOf(home, planId)).toMatchObject([{ id: approvalRow?.id, state: 'expired' }]),
  );
  expect(await pendingIn(home)).toEqual([]);
  const servers = [await serve(), await serve()];
  const plans = await Promise.all(servers.map((server) => submit(server, planId)));
  const rows = await questionsOf(home, planId);
  expect(rows).toHaveLength(2);
  const [newer] = rows.filter(({ id }) => id !== approvalRow?.id);
  for (const plan of plans) expect(plan).toMatchObject({ approval: { id: newer?.id } });
  const refused = await ran(denyCommand, { home, words: [approvalRow?.id ?? ''] });
  expect(refused).toMatchObject({ error: { code: 'APPROVAL_EXPIRED' } });
});
