/** Open transactions are followed to their end: by another principal of the wallet, and across ledger outages. */
import { expect, test } from 'vitest';
import { LedgerError } from '../../src/ledger/errors.ts';
import { openLedger } from '../../src/ledger/sqlite/sqlite.ts';
import type { Ledger } from '../../src/ledger/types.ts';
import type { Chain } from '../../src/rpc/types.ts';
import { useHomes } from './homes.ts';
import { configRequest } from './requests.ts';

const { start, beside, restart } = useHomes();

/** Returns an RPC with nothing finalized yet. */
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

test('a landing not yet final when its host ended is followed by the next principal that uses the wallet', async () => {
  const anna = await start({ principal: 'anna', chain: early });
  const first = await anna.build('feeShareConfig', await configRequest(anna, 1));
  expect(await anna.submit(first.plan?.planId ?? '')).toMatchObject({ status: 'complete' });
  const bela = await restart(anna, { principal: 'bela' });
  expect(await bela.ledger.rows('journal', { open: true })).toMatchObject([
    { planId: first.plan?.planId, state: 'confirmed' },
  ]);

  const second = await bela.build('feeShareConfig', await configRequest(bela, 2));
  await bela.submit(second.plan?.planId ?? '');
  await bela.plans.idle();

  expect(await bela.ledger.rows('journal', { open: true })).toEqual([]);
  const rows = await bela.ledger.rows('journal', { planId: first.plan?.planId ?? '' });
  expect(rows.map(({ state }) => state)).toEqual(['finalized']);
});

test('a landing is followed to finality despite one failed ledger read', async () => {
  const first = await start();
  const real = openLedger({ file: first.file, clock: first.deps.clock });
  let failures = 0;
  const ledger: Ledger = {
    ...real,
    rows: async (table, filter) => {
      if (table === 'plans' && 'planId' in filter && failures === 0) {
        failures += 1;
        throw new LedgerError('LEDGER_UNHEALTHY', 'The database is not there.');
      }
      return real.rows(table, filter);
    },
  };
  const home = beside(first, { deps: { ledger } });
  const { plan } = await home.build('feeShareConfig', await configRequest(home, 1));
  await home.submit(plan?.planId ?? '');
  await home.plans.idle();
  expect(failures).toBe(1);
  expect(await real.rows('journal', { open: true })).toEqual([]);
  await real.close();
});
