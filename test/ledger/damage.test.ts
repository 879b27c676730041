/** Ledgers that a crash, a disk or a hand has damaged: nothing is lost in silence, and nothing is signed on them. */
import { copyFileSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import Libsql from 'libsql';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LedgerError } from '../../src/ledger/errors.ts';
import { openLedger } from '../../src/ledger/sqlite/sqlite.ts';
import type { Ledger } from '../../src/ledger/types.ts';
import { fill, handClock, newFile, sampleReserve, sampleRow, solPerDay, tamper, WALLET } from './samples.ts';

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
  it('never gives out other values than were written, wherever a byte flips (F46)', async () => {
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
        await ledger.probe();
        expect(await everything()).toEqual(before);
      } catch (error) {
        expect(error).toBeInstanceOf(LedgerError);
        expect(error).toMatchObject({ code: expect.stringMatching(/^LEDGER_/) });
        noticed += 1;
        await expect(ledger.acquireLease(WALLET, 'x', 1)).rejects.toBeInstanceOf(LedgerError);
      }
      await ledger.close();
    }
    expect(noticed).toBeGreaterThan(10);
  });

  async function everything() {
    return {
      open: await ledger.openRows({}),
      decisions: await ledger.decisions({ limit: 100 }),
      plans: await ledger.plans({}),
      used: await ledger.used([solPerDay(1n)], WALLET, (await ledger.plans({}))[0]?.network ?? ''),
    };
  }

  /** So few that the log is not merged into the file meanwhile, which happens at a hundred pages. */
  const SIGNED = 3;
  /** Signs so often, and returns the log beside the file as a power cut leaves it, with its size after each write. */
  async function cutOff(): Promise<{ log: Buffer; sizes: number[] }> {
    const sizes: number[] = [];
    const done = () => sizes.push(statSync(`${file}-wal`).size);
    const lease = await ledger.acquireLease(WALLET, 'filler', 1e9);
    if (lease === undefined) throw new Error('no lease');
    done();
    for (let i = 0; i < SIGNED; i++) {
      const request = sampleReserve(lease, 5n, [solPerDay(10_000n)]);
      const outcome = await ledger.reserve(request);
      if (!outcome.ok) throw new Error(outcome.code);
      done();
      await ledger.journalSigned(lease, outcome.reservationId, sampleRow(request, `signature-${i}`));
      done();
    }
    expect(
      sizes.every((size, i) => size > (sizes[i - 1] ?? 0)),
      'the log was merged meanwhile',
    ).toBe(true);
    // The process is still there, so its last writes are in the log.
    return { log: readFileSync(`${file}-wal`), sizes };
  }

  /** The ledger with another log, opened by the next process; what it told a person. */
  function withLog(log: Buffer): { after: Ledger; told: string[]; copy: string } {
    const copy = newFile();
    const told: string[] = [];
    copyFileSync(file, copy);
    writeFileSync(`${copy}-wal`, log, { mode: 0o600 });
    return { after: openLedger({ file: copy, clock, log: (line) => told.push(line) }), told, copy };
  }

  it('F45 whose last record is torn keeps every record before it, says so once, and goes on', async () => {
    const { log, sizes } = await cutOff();
    // Before each commit, behind it, and in the middle of a page.
    const cuts = sizes.flatMap((size) => [size, size - 100, size - 4120]);
    const kept = new Set<number>();
    for (const size of [...cuts, 100, 60_000]) {
      const { after, told, copy } = withLog(log.subarray(0, size));
      const rows = (await after.openRows({})).map(({ signature }) => signature).sort();
      expect(rows).toEqual(rows.map((_, i) => `signature-${i}`));
      expect((await after.verifyDecisions()).brokenAt).toBeUndefined();
      await after.probe();
      kept.add(rows.length);
      const torn = !sizes.includes(size);
      expect(told, `cut at ${size}`).toEqual(torn ? [expect.stringMatching(/cut off.*never counted/)] : []);
      expect(await after.note('torn tail')).toBe(torn ? `${clock.at}` : undefined);
      await after.close();
      const again = openLedger({ file: copy, clock, log: (line) => told.push(line) });
      await again.probe();
      expect(told).toHaveLength(torn ? 1 : 0);
      await again.close();
    }
    expect([...kept].sort()).toEqual([0, 1, 2, 3]);
  });

  it('F46 loses no committed record in silence when a byte flips in its log', async () => {
    const { log, sizes } = await cutOff();
    const counts = { whole: 0, torn: 0, corrupt: 0 };
    for (const at of [
      5,
      20,
      40,
      44,
      ...Array.from({ length: 40 }, (_, i) => 48 + i * Math.floor(log.length / 41)),
    ]) {
      const flipped = Buffer.from(log);
      flipped[at] = (flipped[at] ?? 0) ^ 0x10;
      const { after, told, copy } = withLog(flipped);
      const failure = await after.probe().catch((error: unknown) => error);
      const rows = await after.openRows({});
      if (failure === undefined) {
        // Only the very last write cannot be told from one that was never finished.
        expect(rows.length, `flipped at ${at}`).toBeGreaterThanOrEqual(
          told.length === 0 ? SIGNED : SIGNED - 1,
        );
        if (told.length > 0) expect(at).toBeGreaterThan(sizes.at(-2) ?? 0);
        counts[told.length === 0 ? 'whole' : 'torn'] += 1;
      } else {
        expect(failure).toMatchObject({ code: 'LEDGER_CORRUPT' });
        counts.corrupt += 1;
        // It stays so when the log is gone, which is kept beside.
        await after.close();
        const again = openLedger({ file: copy, clock });
        await expect(again.acquireLease(WALLET, 'x', 1)).rejects.toMatchObject({ code: 'LEDGER_CORRUPT' });
        expect(await again.plans({})).toEqual([]);
        expect(readFileSync(`${copy}-wal.damaged`).equals(flipped)).toBe(true);
        await again.close();
      }
      await after.close();
    }
    expect(counts.corrupt).toBeGreaterThan(10);
    expect(counts.torn).toBeGreaterThan(0);
  });

  it('whose sums were lowered signs nothing', async () => {
    await fill(ledger, clock);
    tamper(file, 'UPDATE buckets SET lo = 0 WHERE level = 3');
    await expect(ledger.acquireLease(WALLET, 'x', 1)).rejects.toMatchObject({ code: 'LEDGER_CORRUPT' });
  });

  it('that is no database at all says so', async () => {
    writeFileSync(file, 'this is not a database, it only has the right name'.repeat(100), { mode: 0o600 });
    await expect(ledger.probe()).rejects.toMatchObject({ code: 'LEDGER_CORRUPT', class: 'availability' });
  });
});
