/** Ledgers damaged by a crash, a disk or manual edits: loss is always reported, and nothing is signed on them. */
import { copyFileSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import Libsql from 'libsql';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LedgerError } from '../../src/ledger/errors.ts';
import { openLedger } from '../../src/ledger/sqlite/sqlite.ts';
import type { Ledger } from '../../src/ledger/types.ts';
import { fill, handClock, newFile, sampleReserve, sampleRow, solPerDay, usedIn, WALLET } from './samples.ts';
import { tamper } from './tamper.ts';

let file: string;
let clock: ReturnType<typeof handClock>;
let ledger: Ledger;
beforeEach(() => {
  file = newFile();
  clock = handClock();
  ledger = openLedger({ file, clock });
});
afterEach(() => ledger.close());

describe('a damaged ledger', () => {
  it('never returns values other than those written, whichever byte flips (F46)', async () => {
    await fill(ledger, clock, 12);
    const merged = new Libsql(file);
    merged.pragma('wal_checkpoint(TRUNCATE)');
    merged.close();
    const whole = readFileSync(file);
    const before = await everything();
    await ledger.close();
    let noticed = 0;
    for (let at = 100; at < whole.length; at += 997) {
      const damaged = Buffer.from(whole);
      damaged[at] = (damaged[at] ?? 0) ^ 0x10;
      writeFileSync(file, damaged);
      ledger = openLedger({ file, clock });
      try {
        await ledger.setNote('probe', '');
        expect(await everything()).toEqual(before);
      } catch (error) {
        expect(error).toBeInstanceOf(LedgerError);
        expect(error).toMatchObject({ code: expect.stringMatching(/^LEDGER_/) });
        noticed += 1;
        await expect(ledger.lease({ wallet: WALLET, holder: 'x' }, 1)).rejects.toBeInstanceOf(LedgerError);
      }
      await ledger.close();
    }
    expect(noticed).toBeGreaterThan(10);
  });

  async function everything() {
    return {
      open: await ledger.rows('journal', { open: true }),
      decisions: await ledger.rows('decisions', { limit: 100 }),
      plans: await ledger.rows('plans', {}),
      used: await usedIn(ledger, [solPerDay(1n)], WALLET, (await ledger.rows('plans', {}))[0]?.network ?? ''),
    };
  }

  it('F45 with a torn last record keeps every record before it and continues', async () => {
    const lease = await ledger.lease({ wallet: WALLET, holder: 'filler' }, 1e9);
    if (lease === undefined) throw new Error('no lease');
    const sizes: number[] = [];
    for (let i = 0; i < 3; i++) {
      const request = sampleReserve(lease, 5n, [solPerDay(10_000n)]);
      const outcome = await ledger.reserve(request);
      if (!outcome.ok) throw new Error(outcome.code);
      await ledger.journalSigned(lease, outcome.reservationId, sampleRow(request, `signature-${i}`));
      sizes.push(statSync(`${file}-wal`).size);
    }
    const log = readFileSync(`${file}-wal`);
    for (const [index, size] of sizes.entries()) {
      // Cuts at the commit, and within its last page.
      for (const [cut, signed] of [
        [size, index + 1],
        [size - 100, index],
      ] as const) {
        const copy = newFile();
        copyFileSync(file, copy);
        writeFileSync(`${copy}-wal`, log.subarray(0, cut), { mode: 0o600 });
        const after = openLedger({ file: copy, clock });
        await after.setNote('probe', '');
        expect((await after.rows('journal', { open: true })).length, `cut at ${cut}`).toBe(signed);
        expect((await after.verifyDecisions()).brokenAt).toBeUndefined();
        await after.close();
      }
    }
  });

  it('with lowered uses signs nothing', async () => {
    await fill(ledger, clock);
    tamper(file, 'UPDATE uses SET lo = 0');
    await expect(ledger.lease({ wallet: WALLET, holder: 'x' }, 1)).rejects.toMatchObject({
      code: 'LEDGER_CORRUPT',
    });
  });

  it('that is not a database is reported', async () => {
    writeFileSync(file, 'this is not a database, it only has the right name'.repeat(100), { mode: 0o600 });
    await expect(ledger.setNote('probe', '')).rejects.toMatchObject({
      code: 'LEDGER_CORRUPT',
      class: 'availability',
    });
  });
});
