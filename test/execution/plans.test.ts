import { afterEach, describe, expect, it } from 'vitest';
import { Home, type HomeOptions } from './home.ts';
import { configRequest, launchRequest } from './requests.ts';

let home: Home;
afterEach(async () => {
  await home.close();
  await home.sandbox.close();
});
const start = async (options?: HomeOptions) => {
  home = await Home.withoutMarket(options);
};

describe('a config for a hundred claimers', () => {
  it('C-PLAN-15 sets up its lookup table, asks again and lands every claimer under one plan id', async () => {
    await start();
    const { plan } = await home.build('feeShareConfig', await configRequest(home, 100));
    expect(plan?.readiness).toEqual({ status: 'setup_required' });
    const done = await home.submit(plan?.planId ?? '', 50);
    expect(done).toMatchObject({ planId: plan?.planId, intentKey: plan?.intentKey, status: 'complete' });
    const kinds = new Set(done.stages.map(({ kind }) => kind));
    expect(kinds).toEqual(new Set(['lookup_table_setup', 'config']));
  });
});

describe('a custody launch', () => {
  it('C-BUNDLE-06 C-BUNDLE-09 lands setup and token side by side, then the launch, then the deactivation (F27)', async () => {
    await start();
    const { plan } = await home.build('dammLaunch', await launchRequest(home));
    expect(plan?.status).toBe('ready');
    const done = await home.submit(plan?.planId ?? '', 50);
    expect(done.status).toBe('complete');
    const slot = (id: string) => {
      const { signature = '' } = done.stages.find((stage) => stage.id === id) ?? {};
      return home.sandbox.chain.status(signature)?.slot ?? Number.NaN;
    };
    expect(slot('launch')).toBeGreaterThan(Math.max(slot('lut_setup'), slot('create_token')));
    expect(slot('lut_deactivate')).toBeGreaterThan(slot('launch'));
    const close = done.stages.find(({ id }) => id === 'lut_close');
    expect(close).toMatchObject({
      status: 'ready',
      note: `Can be sent from slot ${slot('lut_deactivate') + 513}.`,
    });
  });
});
