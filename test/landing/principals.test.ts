/** Two principals of one wallet: what one left open is brought to its end by the work of the other. */
import { expect, test } from 'vitest';
import type { Chain } from '../../src/rpc/types.ts';
import { useHomes } from './homes.ts';
import { configRequest } from './requests.ts';

const { start, restart } = useHomes();

/** An RPC that has seen nothing finalized yet. */
const early = (chain: Chain): Chain => ({
  ...chain,
  statuses: async (signatures) => {
    const { slot, value } = await chain.statuses(signatures);
    return {
      slot,
      value: value.map((status) => status && { ...status, commitment: 'confirmed' }),
    };
  },
});

test('a host that ended before a landing was final leaves it to the next principal that works with the wallet', async () => {
  const anna = await start({ principal: 'anna', chain: early });
  const first = await anna.build('feeShareConfig', await configRequest(anna, 1));
  expect(await anna.submit(first.plan?.planId ?? '')).toMatchObject({ status: 'complete' });
  const bela = await restart(anna, { principal: 'bela' });
  expect(await bela.ledger.openRows({})).toMatchObject([{ planId: first.plan?.planId, state: 'confirmed' }]);

  const second = await bela.build('feeShareConfig', await configRequest(bela, 2));
  await bela.submit(second.plan?.planId ?? '');
  await bela.landing.idle();

  expect(await bela.ledger.openRows({})).toEqual([]);
  const rows = await bela.ledger.journal({ planId: first.plan?.planId ?? '' });
  expect(rows.map(({ state }) => state)).toEqual(['finalized']);
});
