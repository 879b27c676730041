/** Configs of the fee share program through the runner: complete once the account says who earns, and not before. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AccountFact } from '../../src/rpc/types.ts';
import { testKey } from '../transaction/keys.ts';
import { Home } from './home.ts';
import { configRequest } from './requests.ts';

const FEE_SHARE = 'FEE2tBhCKAt7shrod19QttSVREUYPiyMzoku1mL1gqVK';

let home: Home;
beforeEach(async () => {
  home = await Home.start({ sandbox: { encoding: 'real' } });
});
afterEach(async () => {
  await home.close();
});

async function land(endpoint: 'feeShareConfig' | 'updateFeeShareConfig', request: Record<string, unknown>) {
  const { plan } = await home.build(endpoint, request);
  return home.submit(plan?.planId ?? '', 50);
}

describe('a config of the fee share program', () => {
  it('is complete when its account has every claimer, share and manager, and so is a changed split', async () => {
    const request = await configRequest(home, 3);
    expect(await land('feeShareConfig', request)).toMatchObject({ status: 'complete' });
    const claimersArray = [home.wallet, testKey('newly earning').address];
    const change = { baseMint: request.baseMint, payer: home.wallet, claimersArray };
    const done = await land('updateFeeShareConfig', { ...change, basisPointsArray: [2500, 7500] });
    expect(done).toMatchObject({ status: 'complete', operation: 'manager_update' });
  });

  it.each<[string, (data: Buffer) => void]>([
    ['names another claimer', (data) => data.fill(7, 184, 216)],
    ['gives another share', (data) => data.writeUInt16LE(9_999, data.length - 2)],
    ['has another manager', (data) => data.fill(7, 136, 168)],
  ])('is not complete when its account %s', async (_, change) => {
    const shown = (account: AccountFact): AccountFact => {
      if (account.owner !== FEE_SHARE) return account;
      const data = Buffer.from(account.data, 'base64');
      change(data);
      return { ...account, data: data.toString('base64') };
    };
    const other = home.again({
      chain: (port) => ({
        ...port,
        // The read-back asks for the config alone.
        accounts: async (addresses, commitment) => {
          const { slot, value } = await port.accounts(addresses, commitment);
          return { slot, value: addresses.length === 1 ? value.map(shown) : value };
        },
      }),
      deps: { timing: { askAgainMs: 10, askAgainMaxMs: 10, askAgainTimes: 3 } },
    });
    const { plan } = await other.build('feeShareConfig', await configRequest(other, 2));
    const done = await other.submit(plan?.planId ?? '', 50);
    await other.close();
    expect(done.status).not.toBe('complete');
    expect(done.next).toContain('is not the one asked for');
  });
});
