/** T80 F60: a live home whose ledger was lost, and its recovery with the owner key. */
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { OWNER_PASSPHRASE } from '../approval/owner.ts';
import { SOL, swap, tradingHome } from './tradingHome.ts';

it('T80 restarts a lost ledger with the owner key only and counts every limit as used', async () => {
  const { home, open, command, elsewhere, chain } = await tradingHome();
  const first = open();
  expect([await swap(first), await swap(first)]).toEqual(['complete', 'complete']);
  await first.close();
  // All signatures have expired; `accept` would wait for that.
  chain.advanceSlots(200);
  expect(await command(['ledger', 'accept'])).toMatchObject({
    code: 0,
    out: expect.stringContaining('The ledger is whole'),
  });

  for (const name of readdirSync(home)) if (name.startsWith('ledger')) rmSync(join(home, name));
  const second = open();
  expect((await second.callTool('get_launch_feed')).isError).toBeUndefined();
  expect(await swap(second)).toBe('LEDGER_LOST');
  const status = await second.callTool('get_status');
  expect(status.structuredContent).toMatchObject({ ledger: expect.stringContaining('LEDGER_LOST') });
  expect(await command(['audit', 'verify'])).not.toMatchObject({ code: 0 });

  expect((await command(['ledger', 'accept'])).error).toMatchObject({ code: 'NOT_SET_UP' });
  expect((await command(['ledger', 'accept'], ['not the passphrase'])).code).not.toBe(0);
  expect(await swap(second)).toBe('LEDGER_LOST');

  const wrong = await command(['ledger', 'accept'], [OWNER_PASSPHRASE], { policy: elsewhere });
  expect(wrong.error).toMatchObject({
    code: 'NOT_SET_UP',
    message: expect.stringContaining(`for the network ${SOL}`),
  });

  const ran = await command(['ledger', 'accept'], [OWNER_PASSPHRASE]);
  expect(ran).toMatchObject({ code: 0, out: expect.stringContaining('a new ledger is in place') });
  expect(ran.err).toContain('Every limit counts as used up until its window has passed');
  expect(await command(['audit', 'verify'])).toMatchObject({ code: 0 });
  // The running server and a new one both refuse until the windows have passed.
  expect(['LIMIT_EXCEEDED', 'RATE_LIMITED']).toContain(await swap(second));
  const { structuredContent } = await second.callTool('list_decisions', { limit: 1 });
  expect(JSON.stringify(structuredContent)).toMatch(/used up until \d{4}-\d\d-\d\dT[\d:.]+Z/);
  await second.close();
  const third = open();
  expect(['LIMIT_EXCEEDED', 'RATE_LIMITED']).toContain(await swap(third));
  await third.close();
  expect(readdirSync(join(home, 'archive'))).toHaveLength(1);
});
