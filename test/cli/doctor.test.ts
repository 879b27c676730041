/** `countersign doctor` on the ledger of a home. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { doctorCommand } from '../../src/cli/doctor/doctor.ts';
import { nodeFinding } from '../../src/cli/doctor/node.ts';
import { ledgerFile } from '../../src/ledger/ledgerFile.ts';
import { openLedger } from '../../src/ledger/sqlite/sqlite.ts';
import { handClock, samplePlan } from '../ledger/samples.ts';
import { tamper } from '../ledger/tamper.ts';
import { run } from './terminal.ts';
import { tradingHome } from './tradingHome.ts';

const newHome = () => mkdtempSync(join(tmpdir(), 'doctor-'));
const ledgerLine = async (home: string) => {
  const { out } = await run(doctorCommand, { home, options: { live: true } });
  return out.split('\n').find((line) => / ledger /.test(line));
};

it('reports no problem in an unused home', async () => {
  expect(await ledgerLine(newHome())).toMatch(/^ok .*nothing recorded yet/);
});

it('shows the Node.js version first, with the recommended one if it is older', async () => {
  const { out } = await run(doctorCommand, { home: newHome(), options: { live: true, json: true } });
  expect(JSON.parse(out).findings[0]).toEqual(nodeFinding(process.version));
  expect(nodeFinding('v20.19.0').detail).toBe('v20.19.0; supported, 24 is recommended');
  expect(nodeFinding('v22.12.0').detail).toContain('24 is recommended');
  expect(nodeFinding('v24.1.0').detail).toBe('v24.1.0');
});

it('F46 tells the owner to restore a damaged ledger', async () => {
  const home = newHome();
  const ledger = openLedger({ home, clock: handClock() });
  await ledger.storePlan(samplePlan({ planId: 'plan-1' }));
  await ledger.close();
  tamper(ledgerFile(home), "UPDATE meta SET value = 'x' WHERE key = 'writes'");
  expect(await ledgerLine(home)).toMatch(/^MISS .*LEDGER_CORRUPT/);
  const { out } = await run(doctorCommand, { home, options: { live: true } });
  expect(out).toContain('restore ledger.db from a backup');
});

it("shows the wallet's balance, and what a first plan may need if the balance is too small", async () => {
  const { command, chain, wallet } = await tradingHome();
  const money = async () =>
    (await command(['doctor'])).out.split('\n').filter((line) => / wallet |→ send SOL/.test(line));
  // The airdrop is confirmed.
  chain.advanceSlots(2);
  expect(await money()).toEqual([
    expect.stringMatching(
      new RegExp(`^ok {4}wallet +${wallet} \\(default\\): its key opens; it has [\\d.,]+ SOL$`),
    ),
  ]);
  const account = chain.getAccount(wallet);
  if (account === null) throw new Error('no wallet');
  chain.setAccount(wallet, { ...account, lamports: 20_000_000n });
  chain.advanceSlots(40);
  expect(await money()).toEqual([
    expect.stringMatching(
      /^MISS {2}wallet +\S+ \(default\): its key opens; it has 0\.02 SOL, and a first plan .* may need 0\.1 SOL$/,
    ),
    expect.stringContaining(`send SOL to ${wallet}`),
  ]);
});
