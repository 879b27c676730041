import { rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { openLedger } from '../../src/ledger/sqlite/sqlite.ts';
import { bundle, start } from './processes.ts';
import {
  HOUR,
  NETWORK,
  newFile,
  samplePlan,
  sampleQuestion,
  solPerDay,
  spending,
  usedIn,
  WALLET,
} from './samples.ts';

let racer: string;
let filler: string;
let drawer: string;
beforeAll(async () => {
  [racer, filler, drawer] = await Promise.all([
    bundle('ledger/racer.ts'),
    bundle('ledger/filler.ts'),
    bundle('ledger/drawer.ts'),
  ]);
});
afterAll(() => {
  for (const program of [racer, filler, drawer]) rmSync(dirname(program), { recursive: true });
});

describe('several processes on one ledger', () => {
  it('together never exceed a limit, nor the hourly number of requests (T41, F56)', async () => {
    const file = newFile();
    const args = [racer, file, '7', '700', 'https://service.example'];
    const runs = await Promise.all(Array.from({ length: 4 }, () => start(process.execPath, args).finished));
    expect(runs.map(({ code, stderr }) => [code, stderr])).toEqual(runs.map(() => [0, '']));
    const results: { taken: number; requests: number }[] = runs.map(({ stdout }) => JSON.parse(stdout));
    expect(results.reduce((sum, { taken }) => sum + taken, 0)).toBe(100);
    expect(results.reduce((sum, { requests }) => sum + requests, 0)).toBe(500);

    const ledger = openLedger({ file, clock: systemClock });
    expect(await usedIn(ledger, [solPerDay(700n)], WALLET, NETWORK)).toEqual({ 'sol-day': 700n });
    const record = await ledger.verifyDecisions();
    expect(record).toMatchObject({ rows: 100 });
    expect(record).not.toHaveProperty('brokenAt');
    await ledger.close();
  });
});

describe('several processes under one approval', () => {
  it('together use no more than was approved', async () => {
    const file = newFile();
    const ledger = openLedger({ file, clock: systemClock });
    // Maximum spending of 30 stages of 7 lamports, with their fees.
    const stages = Array.from({ length: 30 }, (_, i) => spending(`stage ${i}`, 7n));
    const times = { createdAt: Date.now(), expiresAt: Date.now() + HOUR };
    const { id } = await ledger.askApproval(sampleQuestion(samplePlan(), stages, times));
    await ledger.answerApproval(id, { state: 'approved', channel: 'command' });
    const args = [drawer, file, id, '7'];
    const runs = await Promise.all(Array.from({ length: 4 }, () => start(process.execPath, args).finished));
    expect(runs.map(({ code, stderr }) => [code, stderr])).toEqual(runs.map(() => [0, '']));
    const results: { drawn: number; codes: string[] }[] = runs.map(({ stdout }) => JSON.parse(stdout));
    expect(results.flatMap(({ codes }) => codes)).toEqual(runs.map(() => 'APPROVAL_EXPIRED'));
    expect(results.reduce((sum, { drawn }) => sum + drawn, 0)).toBe(30);
    expect(await ledger.rows('signedStages', { planId: samplePlan().planId })).toHaveLength(30);
    await ledger.close();
  });
});

describe('a full disk', () => {
  it('stops signing and keeps everything journaled before it (F44)', async () => {
    const file = newFile();
    // `ulimit -f` counts blocks of 512 bytes or 1 KiB: less than a megabyte for any one file.
    const limited = 'ulimit -f 1600; exec "$0" "$@"';
    // On close SQLite writes the log back, past the limit, and the system kills the process; its output came before.
    const { stdout, stderr } = await start('sh', ['-c', limited, process.execPath, filler, file]).finished;
    expect(stderr).toBe('');
    const report: { journaled: string[]; code: string; after: string } = JSON.parse(stdout);
    expect(report.journaled.length).toBeGreaterThan(5);
    expect(report).toMatchObject({ code: 'LEDGER_UNHEALTHY', after: 'LEDGER_UNHEALTHY' });

    // With free space, nothing is lost and signing continues.
    const ledger = openLedger({ file, clock: systemClock });
    await ledger.setNote('probe', '');
    const rows = await ledger.rows('journal', { open: true });
    expect(rows.map(({ signature }) => signature)).toEqual(report.journaled);
    await ledger.close();
  });
});
