/** T80 F60: a home that signed for real, whose ledger is lost, and what the owner key brings back. */
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { OWNER_PASSPHRASE } from '../approval/owner.ts';
import { SOL, swap, tradingHome } from './tradingHome.ts';

/** Only ends what hangs: how long a machine takes over five swaps and an owner key decides nothing here. */
const HANGS_MS = 300_000;

it(
  'T80 a lost ledger is begun again by the owner key alone, and what was spent before still counts',
  async () => {
    const { home, open, command, elsewhere, chain } = await tradingHome();
    const first = open();
    expect([await swap(first), await swap(first)]).toEqual(['complete', 'complete']);
    await first.close();
    // Nothing of it can land any more; `accept` would wait for that.
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
    expect(ran.told).toMatch(/The chain shows \d+ transactions of the wallet/);
    expect(await command(['audit', 'verify'])).toMatchObject({ code: 0 });
    // The server that was running goes on, with what is left of the limit.
    expect(await swap(second)).toBe('complete');
    expect(await swap(second)).toBe('LIMIT_EXCEEDED');
    await second.close();
    expect(readdirSync(join(home, 'archive'))).toHaveLength(1);
  },
  HANGS_MS,
);
