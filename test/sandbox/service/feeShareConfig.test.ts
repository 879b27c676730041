import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createKeyring } from '../../../src/sandbox/service/keys.ts';
import { readMint } from '../../../src/transaction/tokenAccounts.ts';
import { at, Caller, list, text } from './support.ts';

const PATH = '/fee-share/config/v2';
const ring = createKeyring('claimers of the tests');
const claimer = (index: number) => ring.get(String(index)).address;

let caller: Caller;
beforeEach(async () => {
  caller = await Caller.start();
});
afterEach(() => caller.close());

async function request(count: number, extra: Record<string, unknown> = {}) {
  const share = Math.floor(10_000 / count);
  return {
    baseMint: await caller.token(),
    payer: caller.sandbox.wallet.address,
    flow: 'damm_v2_direct',
    claimersArray: Array.from({ length: count }, (_, index) => claimer(index)),
    basisPointsArray: Array.from({ length: count }, (_, index) =>
      index === 0 ? 10_000 - share * (count - 1) : share,
    ),
    ...extra,
  };
}

function fieldsOf(config: string): Map<string, string> {
  const account = caller.sandbox.chain.getAccount(config, 'confirmed');
  return new Map(account === null ? [] : readMint(account.data).metadata?.additional);
}

describe('a fee share config', () => {
  it('lands in order and then needs no creation', async () => {
    const body = await request(3);
    const first = await caller.ok(caller.post(PATH, body));
    expect(at(first, 'needsCreation')).toBe(true);
    expect(at(first, 'plan.readiness.status')).toBe('ready');
    expect(list(first, 'plan.transactions').map((stage) => at(stage, 'id'))).toEqual([
      'config-1',
      'config-2',
    ]);
    for (const stage of list(first, 'plan.transactions')) {
      expect(at(stage, 'format')).toBe('v0');
      expect(at(stage, 'requiredSigners.0')).toBe(body.payer);
    }
    await caller.landAll(at(first, 'plan'));
    const fields = fieldsOf(text(first, 'feeShareConfig'));
    expect(fields.get('baseMint')).toBe(body.baseMint);
    expect(fields.get('admin')).toBe(body.payer);
    expect(fields.get('claimer.2')).toBe(`${claimer(2)}:3333`);
    const again = await caller.ok(caller.post(PATH, body));
    expect(at(again, 'needsCreation')).toBe(false);
    expect(at(again, 'plan')).toBeNull();
  });

  it('declares the hash of its message', async () => {
    const answer = await caller.ok(caller.post(PATH, await request(1)));
    const bytes = Buffer.from(text(answer, 'plan.transactions.0.transaction'), 'base64');
    const signers = list(answer, 'plan.transactions.0.requiredSigners').length;
    const message = bytes.subarray(1 + 64 * signers);
    expect(createHash('sha256').update(message).digest('hex')).toBe(
      text(answer, 'plan.transactions.0.messageSha256'),
    );
  });

  it('with a hundred claimers sets a lookup table up first', async () => {
    const body = await request(100);
    const setup = await caller.ok(caller.post(PATH, body));
    expect(at(setup, 'plan.readiness.status')).toBe('setup_required');
    const stages = list(setup, 'plan.transactions');
    expect(stages.every((stage) => at(stage, 'kind') === 'lookup_table_setup')).toBe(true);
    await caller.land(text(stages[0], 'transaction'));
    const rest = await caller.ok(caller.post(PATH, body));
    expect(list(rest, 'plan.transactions')).toHaveLength(stages.length - 1);
    for (const stage of list(rest, 'plan.transactions')) {
      const { err } = await caller.land(text(stage, 'transaction'));
      expect(err).toBeNull();
    }
    const warming = await caller.ok(caller.post(PATH, body));
    expect(list(warming, 'plan.transactions')).toEqual([]);
    expect(at(warming, 'plan.readiness.status')).toBe('setup_required');
    caller.sandbox.advanceSlots(1);
    const ready = await caller.ok(caller.post(PATH, body));
    expect(at(ready, 'plan.readiness.status')).toBe('ready');
    await caller.landAll(at(ready, 'plan'));
    const fields = fieldsOf(text(ready, 'feeShareConfig'));
    for (const [index, address] of body.claimersArray.entries()) {
      expect(fields.get(`claimer.${index}`)).toBe(`${address}:100`);
    }
    expect(at(await caller.ok(caller.post(PATH, body)), 'needsCreation')).toBe(false);
  });

  it('with a hundred claimers needs no table in v1', async () => {
    const body = await request(100, { transactionFormat: 'v1' });
    const answer = await caller.ok(caller.post(PATH, body));
    expect(at(answer, 'plan.readiness.status')).toBe('ready');
    for (const stage of list(answer, 'plan.transactions')) expect(at(stage, 'format')).toBe('v1');
    await caller.landAll(at(answer, 'plan'));
    expect(at(await caller.ok(caller.post(PATH, body)), 'needsCreation')).toBe(false);
  });
});
