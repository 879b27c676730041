import { statSync } from 'node:fs';
import Libsql from 'libsql';
import { describe, expect, it } from 'vitest';
import { openDatabase } from '../../src/ledger/sqlite/database.ts';
import { SCHEMA_VERSION } from '../../src/ledger/sqlite/schema.ts';
import { openLedger } from '../../src/ledger/sqlite/sqlite.ts';
import { handClock, newFile, samplePlan } from './samples.ts';

const NEWER = `${Number(SCHEMA_VERSION) + 1}`;

it('gives each question its own answer, however the same statement was asked before', async () => {
  const db = await openDatabase(newFile(), handClock());
  await db.write(async (db) => {
    await db.run("INSERT INTO meta VALUES ('a', '1')");
    await db.run("INSERT INTO meta VALUES ('b', '2')");
  });
  const sql = 'SELECT value FROM meta WHERE key = ?';
  expect((await db.all(sql, 'a')).map((row) => row.text('value'))).toEqual(['1']);
  expect((await db.get(sql, 'b'))?.text('value')).toBe('2');
  expect(await db.all(sql, 'c')).toEqual([]);
  expect((await db.get(sql, 'a'))?.text('value')).toBe('1');
  await db.close();
});

it('opens a file for reading only where one is, and does not write to it', async () => {
  const file = newFile();
  await expect(openDatabase(file, handClock(), 'read')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  await (await openDatabase(file, handClock())).close();
  const db = await openDatabase(file, handClock(), 'read');
  expect((await db.get("SELECT value FROM meta WHERE key = 'schema'"))?.text('value')).toBe(
    `${SCHEMA_VERSION}`,
  );
  await expect(db.write((db) => db.run("INSERT INTO meta VALUES ('x', 'y')"))).rejects.toThrow();
  await db.close();
});

describe('a ledger of another version', () => {
  /** A ledger with one plan, rewritten to be of a version. */
  async function written(version: string, sql = ''): Promise<string> {
    const file = newFile();
    const ledger = openLedger({ file, clock: handClock() });
    await ledger.storePlan(samplePlan({ planId: 'plan-old' }));
    await ledger.close();
    const raw = new Libsql(file);
    raw.exec(`${sql}; UPDATE meta SET value = '${version}' WHERE key = 'schema'`);
    raw.close();
    return file;
  }

  it('that is older gets the tables it lacks, and keeps every row', async () => {
    const file = await written(
      '1',
      'DROP TABLE archived; DROP TABLE archives; DROP TABLE runs; DROP TABLE landings',
    );
    const ledger = openLedger({ file, clock: handClock() });
    expect((await ledger.plan('plan-old'))?.planId).toBe('plan-old');
    expect(await ledger.archivedPlans({ planId: 'plan-old' })).toEqual([]);
    await ledger.probe();
    await ledger.close();
    const db = await openDatabase(file, handClock(), 'read');
    expect((await db.get("SELECT value FROM meta WHERE key = 'schema'"))?.text('value')).toBe(
      `${SCHEMA_VERSION}`,
    );
    await db.close();
    const before = await openDatabase(`${file}.version-1`, handClock(), 'read');
    expect((await before.get("SELECT value FROM meta WHERE key = 'schema'"))?.text('value')).toBe('1');
    expect(await before.all('SELECT plan_id FROM plans')).toHaveLength(1);
    await before.close();
    expect(statSync(`${file}.version-1`).mode & 0o777).toBe(0o600);
  });

  it('that is newer is refused with what to do, and left as it is', async () => {
    const file = await written(NEWER);
    const ledger = openLedger({ file, clock: handClock() });
    await expect(ledger.plan('plan-old')).rejects.toMatchObject({
      code: 'LEDGER_VERSION',
      retryable: false,
      hint: expect.stringContaining('a newer one'),
    });
    await expect(ledger.probe()).rejects.toMatchObject({ code: 'LEDGER_VERSION' });
    await ledger.close();
    const db = await openDatabase(file, handClock(), 'read');
    expect((await db.get("SELECT value FROM meta WHERE key = 'schema'"))?.text('value')).toBe(NEWER);
    await db.close();
  });
});
