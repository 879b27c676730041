/** Cancelled plans: nothing further is signed, in any process and despite any approval; landed stages remain. */
import { afterEach, describe, expect, it } from 'vitest';
import { Home, type HomeOptions } from './home.ts';
import { ended } from './real.ts';
import { configRequest, swapRequest } from './requests.ts';

let home: Home;
afterEach(() => ended(home));
const start = async (options?: HomeOptions) => {
  home = await Home.withoutMarket(options);
};

describe('a cancelled plan', () => {
  it('with nothing signed stays unsigned and is rebuilt only on request', async () => {
    await start();
    const request = await configRequest(home, 2);
    const { plan } = await home.build('feeShareConfig', request);
    const id = plan?.planId ?? '';
    expect(await home.plans.cancel(id)).toMatchObject({
      status: 'cancelled',
      next: expect.stringContaining('again: true'),
    });
    expect((await home.submit(id)).status).toBe('cancelled');
    expect(home.signatures).toBe(0);
    const built = await home.build('feeShareConfig', request);
    expect(built).toMatchObject({ plan: { planId: id }, note: expect.stringContaining('was cancelled') });
    await home.deps.clock.sleep(1_000);
    const anew = await home.build('feeShareConfig', request, { again: true });
    expect(anew.plan?.planId).not.toBe(id);
    expect((await home.submit(anew.plan?.planId ?? '')).status).toBe('complete');
  });

  it('is not signed if cancelled while a stage is being decided', async () => {
    const deciding: { cancel?: () => Promise<unknown> } = {};
    await start({
      chain: (chain) => ({
        ...chain,
        isBlockhashValid: async (...about) => {
          const { cancel } = deciding;
          delete deciding.cancel;
          await cancel?.();
          return chain.isBlockhashValid(...about);
        },
      }),
    });
    const { plan } = await home.build('feeShareConfig', await configRequest(home, 2));
    const id = plan?.planId ?? '';
    // The stage is checked for the last time before the blockhash request.
    deciding.cancel = () => home.plans.cancel(id);
    expect((await home.submit(id, 5)).status).toBe('cancelled');
    expect(deciding.cancel).toBeUndefined();
    expect(home.signatures).toBe(0);
  });

  it('lets signed stages land and signs no further stage in this process or another', async () => {
    const execution: { cancel?: () => Promise<unknown> } = {};
    await start({
      chain: (chain) => ({
        ...chain,
        send: async (bytes) => {
          const { cancel } = execution;
          delete execution.cancel;
          await cancel?.();
          return chain.send(bytes);
        },
      }),
    });
    const { plan } = await home.build('feeShareConfig', await configRequest(home, 100));
    const id = plan?.planId ?? '';
    execution.cancel = () => home.plans.cancel(id);
    const done = await home.submit(id, 50);
    expect(done).toMatchObject({ status: 'cancelled', next: expect.stringContaining('again: true') });
    const signed = home.signatures;
    const landed = done.stages.filter(({ signature }) => signature !== undefined);
    expect(signed).toBeGreaterThan(0);
    expect(landed.length).toBeGreaterThan(0);
    expect(Number(done.cost?.networkFee)).toBeGreaterThan(0);
    const other = home.again();
    expect((await other.submit(id, 5)).status).toBe('cancelled');
    expect(home.signatures + other.signatures).toBe(signed);
    await other.close();
  });

  it('is not signed by a later approval', async () => {
    await start({
      policy: (file) => ({
        ...file,
        rules: file.rules.map((rule) =>
          rule.operation === 'swap' && rule.effect === 'allow'
            ? { ...rule, effect: 'require_approval' as const }
            : rule,
        ),
      }),
      deps: { channels: [{ name: 'command', available: async () => true, ask: async () => undefined }] },
    });
    const { plan } = await home.build('tradeSwap', await swapRequest(home));
    const id = plan?.planId ?? '';
    const submitted = await home.submit(id);
    expect(submitted).toMatchObject({ status: 'approval_required', approval: { id: expect.any(String) } });
    await home.plans.cancel(id);
    await home.ledger.answerApproval(submitted.approval?.id ?? '', { state: 'approved', channel: 'command' });
    expect((await home.submit(id)).status).toBe('cancelled');
    expect(home.signatures).toBe(0);
  });

  it('that was complete before is unchanged', async () => {
    await start();
    const { plan } = await home.build('tradeSwap', await swapRequest(home));
    const id = plan?.planId ?? '';
    expect((await home.submit(id)).status).toBe('complete');
    expect((await home.plans.cancel(id)).status).toBe('complete');
    expect((await home.plans.get(id)).status).toBe('complete');
  });
});

describe('the activity of a period', () => {
  it('lists events, amounts, costs and open items', async () => {
    await start();
    await home.sandbox.service.ready();
    const before = (await home.deps.chain.accounts([home.wallet], 'confirmed')).value[0]?.lamports ?? '0';
    const first = await home.build('tradeSwap', await swapRequest(home, '50000000'));
    const done = await home.submit(first.plan?.planId ?? '');
    const second = await home.build('feeShareConfig', await configRequest(home, 2));
    const after = (await home.deps.chain.accounts([home.wallet], 'confirmed')).value[0]?.lamports ?? '0';
    const period = await home.plans.activity({ hours: 1, most: 5, offset: 0 });
    expect(period.outcomes).toEqual({ landed: 1, open: 1 });
    expect(period.happened.map(({ planId }) => planId).sort()).toEqual(
      [first.plan?.planId, second.plan?.planId].sort(),
    );
    expect(period.pending).toMatchObject([{ planId: second.plan?.planId, outcome: 'open' }]);
    expect(period.changes).toEqual(done.changes);
    expect(period.cost.networkFee).toBe(done.cost?.networkFee);
    const sol = BigInt(period.changes.find(({ asset }) => asset === 'SOL')?.raw ?? '0');
    const fee = BigInt(Math.round(Number(period.cost.networkFee) * 1e9));
    expect(BigInt(after) - BigInt(before)).toBe(sol - fee);
    await home.plans.idle();
    expect(await home.plans.activity({ hours: 1, most: 5, offset: 0 })).toMatchObject({
      changes: period.changes,
      cost: period.cost,
      outcomes: period.outcomes,
    });
  });

  it('omits earlier events but keeps items still open from then', async () => {
    await start();
    const { plan } = await home.build('feeShareConfig', await configRequest(home, 2));
    const later = home.again({ clock: (time) => ({ ...time, now: () => time.now() + 2 * 3_600_000 }) });
    const period = await later.plans.activity({ hours: 1, most: 5, offset: 0 });
    expect(period).toMatchObject({ outcomes: {}, happened: [], changes: [], cost: { networkFee: '0' } });
    expect(period.pending).toMatchObject([{ planId: plan?.planId }]);
    await later.close();
  });
});
