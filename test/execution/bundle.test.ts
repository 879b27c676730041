/** Failures between the stages of a launch, each with its required outcome. */
import { afterEach, describe, expect, it } from 'vitest';
import type { Chain, SendOutcome } from '../../src/rpc/types.ts';
import { LOOKUP_TABLE_PROGRAM } from '../../src/transaction/programs.ts';
import { readTransaction } from '../../src/transaction/read.ts';
import { eventually } from '../eventually.ts';
import { Home, type HomeOptions } from './home.ts';
import { launchRequest } from './requests.ts';

let home: Home;
afterEach(async () => {
  await home.close();
  await home.sandbox.close();
});
const start = async (options?: HomeOptions) => {
  home = await Home.withoutMarket(options);
};

/** Among the stages before LAUNCH, true for LUT_SETUP alone. */
const usesTableProgram = (bytes: Uint8Array): boolean =>
  readTransaction(bytes).staticAccounts.includes(LOOKUP_TABLE_PROGRAM);
const LANDED = /confirmed|finalized/;

/** True for LAUNCH, the only stage of a bundle that loads accounts from a table. */
const isLaunch = (bytes: Uint8Array): boolean => readTransaction(bytes).lookups.length > 0;

/** Starts a home whose sends of LAUNCH follow `send`, call by call; records the slot and bytes of each. */
function launching(send: (call: number, bytes: Uint8Array, chain: Chain) => Promise<SendOutcome>) {
  const sends: { readonly slot: number; readonly bytes: string }[] = [];
  const chain = (port: Chain): Chain => ({
    ...port,
    send: async (bytes) => {
      if (!isLaunch(bytes)) return port.send(bytes);
      sends.push({ slot: home.sandbox.chain.slot, bytes: Buffer.from(bytes).toString('hex') });
      return send(sends.length, bytes, port);
    },
  });
  return { sends, chain };
}
const COLD: SendOutcome = {
  outcome: 'refused',
  reason: 'InvalidAddressLookupTableIndex',
  blockhashNotFound: false,
};
/** Disables resends for lateness; only the test itself can cause a second send. */
const NEVER_LATE = { timing: { resendMs: 600_000 } };

const stageOf = async (planId: string, id: string) =>
  (await home.plans.get(planId)).stages.find((stage) => stage.id === id);

describe('a LAUNCH sent before its lookup table has warmed up', () => {
  it('F25 is resent after the next slot, with the same bytes, and lands', async () => {
    const { sends, chain } = launching(async (call, bytes, port) => (call === 1 ? COLD : port.send(bytes)));
    await start({ chain, deps: NEVER_LATE });
    const { plan } = await home.build('dammLaunch', await launchRequest(home));
    expect(await home.submit(plan?.planId ?? '', 50)).toMatchObject({ status: 'complete' });
    expect(sends).toHaveLength(2);
    expect(sends[1]?.bytes).toBe(sends[0]?.bytes);
    expect(sends[1]?.slot).toBeGreaterThan(sends[0]?.slot ?? Number.NaN);
    const rows = await home.ledger.rows('journal', { planId: plan?.planId ?? '' });
    expect(rows.filter(({ stageId }) => stageId === 'launch')).toHaveLength(1);
  });

  it('F25 is resent exactly once, however often the node refuses it', async () => {
    const { sends, chain } = launching(async () => COLD);
    await start({ chain, deps: NEVER_LATE });
    const { plan } = await home.build('dammLaunch', await launchRequest(home));
    void home.submit(plan?.planId ?? '', 0);
    await eventually(() => expect(sends).toHaveLength(2));
    const slot = home.sandbox.chain.slot;
    await eventually(() => expect(home.sandbox.chain.slot).toBeGreaterThan(slot + 10));
    expect(sends).toHaveLength(2);
  });
});

describe('a dropped LUT_SETUP with CREATE_TOKEN confirmed', () => {
  it('F24 is resent with the same bytes, and LAUNCH waits until it has landed', async () => {
    let drop = true;
    const sends: string[] = [];
    await start({
      chain: (port) => ({
        ...port,
        send: async (bytes) => {
          if (!drop || !usesTableProgram(bytes)) return port.send(bytes);
          sends.push(Buffer.from(bytes).toString('hex'));
          return { outcome: 'unclear', reason: 'lost' };
        },
      }),
      deps: { timing: { resendMs: 60 } },
    });
    const { plan } = await home.build('dammLaunch', await launchRequest(home));
    const id = plan?.planId ?? '';
    void home.submit(id, 0);
    await eventually(async () =>
      expect(await stageOf(id, 'create_token')).toMatchObject({ status: expect.stringMatching(LANDED) }),
    );
    const before = sends.length;
    await eventually(() => expect(sends.length).toBeGreaterThan(before + 2));
    expect(await stageOf(id, 'lut_setup')).toMatchObject({ status: 'sent' });
    expect(await stageOf(id, 'launch')).toMatchObject({ status: 'waiting' });
    const held = await home.ledger.rows('journal', { planId: id });
    expect(held.map(({ stageId }) => stageId).sort()).toEqual(['create_token', 'lut_setup']);
    expect(new Set(sends).size).toBe(1);

    drop = false;
    expect(await home.submit(id, 50)).toMatchObject({ status: 'complete' });
    const rows = await home.ledger.rows('journal', { planId: id });
    expect(rows.map(({ stageId }) => stageId)).toEqual([...new Set(rows.map(({ stageId }) => stageId))]);
    const setup = rows.find(({ stageId }) => stageId === 'lut_setup');
    expect(Buffer.from(setup?.transaction ?? '', 'base64').toString('hex')).toBe(sends[0]);
    expect(home.signatures).toBe(rows.length);
  });
});

describe('LUT_DEACTIVATE before LAUNCH is confirmed', () => {
  it('F27 is held: neither signed nor sent', async () => {
    let drop = true;
    const { sends, chain } = launching(async (_, bytes, port) =>
      drop ? { outcome: 'unclear', reason: 'lost' } : port.send(bytes),
    );
    await start({ chain, deps: { timing: { resendMs: 60 } } });
    const { plan } = await home.build('dammLaunch', await launchRequest(home));
    const id = plan?.planId ?? '';
    void home.submit(id, 0);
    await eventually(() => expect(sends.length).toBeGreaterThan(3));
    expect(await stageOf(id, 'lut_deactivate')).toMatchObject({ status: 'waiting' });
    const rows = await home.ledger.rows('journal', { planId: id });
    expect(rows.map(({ stageId }) => stageId).sort()).toEqual(['create_token', 'launch', 'lut_setup']);
    drop = false;
    expect(await home.submit(id, 50)).toMatchObject({ status: 'complete' });
  });
});

describe('LUT_CLOSE', () => {
  it('F28 whose table is gone is reported as lost, and the plan still succeeds', async () => {
    await start({ deps: { timing: { resendMs: 50 } } });
    const { plan } = await home.build('dammLaunch', await launchRequest(home));
    const id = plan?.planId ?? '';
    expect(await home.submit(id, 50)).toMatchObject({ status: 'complete' });
    const answer = (await home.ledger.planRows(id))?.plan.answer;
    const table = String(Object(answer?.launch).lookupTable);
    expect(home.sandbox.chain.getAccount(table)).not.toBeNull();
    home.sandbox.chain.setAccount(table, null);
    const signatures = home.signatures;
    home.sandbox.advanceSlots(560);
    await eventually(async () => expect(await stageOf(id, 'lut_close')).toMatchObject({ status: 'skipped' }));
    expect((await stageOf(id, 'lut_close'))?.note).toMatch(/complete without it/);
    expect(
      (await home.ledger.planRows(id))?.planNotes.find(({ stageId }) => stageId === 'lut_close')?.code,
    ).toBe('OPTIONAL_LOST');
    expect(await home.plans.get(id)).toMatchObject({
      status: 'complete',
      next: expect.stringMatching(/^Done\. Read back from the chain: .* permanently locked\.$/),
    });
    expect(home.signatures).toBe(signatures);
  });
});
