/** What `countersign doctor` says of the ledger of a home. */
import { copyFileSync, mkdtempSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { doctorCommand } from '../../src/cli/doctor/doctor.ts';
import { openLedger } from '../../src/ledger/sqlite/sqlite.ts';
import { handClock, samplePlan } from '../ledger/samples.ts';
import { run } from './terminal.ts';
import { tradingHome } from './tradingHome.ts';

const newHome = () => mkdtempSync(join(tmpdir(), 'doctor-'));
const ledgerLine = async (home: string) => {
  const { out } = await run(doctorCommand, { home, options: { live: true } });
  return out.split('\n').find((line) => / ledger /.test(line));
};

/** A home as a power cut leaves it: the last writes are only in the log. */
async function leftBehind(change: (log: string) => void): Promise<string> {
  const [home, copy] = [newHome(), newHome()];
  const ledger = openLedger({ home, clock: handClock() });
  for (const planId of ['plan-1', 'plan-2', 'plan-3']) await ledger.storePlan(samplePlan({ planId }));
  for (const name of ['ledger.db', 'ledger.db-wal']) copyFileSync(join(home, name), join(copy, name));
  await ledger.close();
  change(join(copy, 'ledger.db-wal'));
  return copy;
}

it('is content with a home in which nothing happened yet', async () => {
  expect(await ledgerLine(newHome())).toMatch(/^ok .*nothing recorded yet/);
});

it('F45 says when a write was cut off, every time it is asked', async () => {
  const home = await leftBehind((log) => truncateSync(log, readFileSync(log).length - 100));
  const said = /^ok .*whole; a write was cut off before \S+ and never counted/;
  expect(await ledgerLine(home)).toMatch(said);
  expect(await ledgerLine(home)).toMatch(said);
  const ledger = openLedger({ home, clock: handClock() });
  expect((await ledger.plans({})).map(({ planId }) => planId).sort()).toEqual(['plan-1', 'plan-2']);
  await ledger.close();
});

it('F46 says that a damaged ledger has to be restored', async () => {
  const home = await leftBehind((log) => {
    const bytes = readFileSync(log);
    bytes[5000] = (bytes[5000] ?? 0) ^ 1;
    writeFileSync(log, bytes);
  });
  expect(await ledgerLine(home)).toMatch(/^MISS .*LEDGER_CORRUPT/);
  const { out } = await run(doctorCommand, { home, options: { live: true } });
  expect(out).toContain('restore ledger.db from a backup');
});

it('says what the wallet has, and what a first plan may need where that is too little', async () => {
  const { command, chain, wallet } = await tradingHome();
  const money = async () =>
    (await command(['doctor'])).out.split('\n').filter((line) => / wallet |→ send SOL/.test(line));
  // What the wallet was given is confirmed.
  chain.advanceSlots(2);
  expect(await money()).toEqual([
    expect.stringMatching(
      new RegExp(
        `^ok {4}wallet +${wallet} \\(default\\): its key opens; it has [\\d.,]+ SOL; no limit is used$`,
      ),
    ),
  ]);
  const account = chain.getAccount(wallet);
  if (account === null) throw new Error('no wallet');
  chain.setAccount(wallet, { ...account, lamports: 20_000_000n });
  chain.advanceSlots(40);
  expect(await money()).toEqual([
    expect.stringMatching(
      /^MISS {2}wallet +\S+ \(default\): its key opens; it has 0\.02 SOL, and a first plan .* may need 0\.1 SOL; no limit is used$/,
    ),
    expect.stringContaining(`send SOL to ${wallet}`),
  ]);
});
