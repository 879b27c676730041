import { expect, it } from 'vitest';
import { openDatabase } from '../../src/ledger/sqlite/database.ts';
import { SCHEMA_VERSION } from '../../src/ledger/sqlite/schema.ts';
import { openLedger } from '../../src/ledger/sqlite/sqlite.ts';
import { handClock, newFile, samplePlan } from './samples.ts';
import { tamper } from './tamper.ts';

it('returns the rows of each query, though the same statement ran before', async () => {
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

it('opens only existing files for reading and does not write to them', async () => {
  const file = newFile();
  await expect(openDatabase(file, handClock(), 'read')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  await (await openDatabase(file, handClock())).close();
  const db = await openDatabase(file, handClock(), 'read');
  expect((await db.get("SELECT value FROM meta WHERE key = 'schema'"))?.text('value')).toBe(SCHEMA_VERSION);
  await expect(db.write((db) => db.run("INSERT INTO meta VALUES ('x', 'y')"))).rejects.toThrow();
  await db.close();
});

it.each([-1, 1].map((by) => `${Number(SCHEMA_VERSION) + by}`))(
  'refuses a ledger of schema %s with a remedy and leaves it unchanged',
  async (version) => {
    const file = newFile();
    const before = openLedger({ file, clock: handClock() });
    await before.storePlan(samplePlan({ planId: 'plan-old' }));
    await before.close();
    tamper(file, `UPDATE meta SET value = '${version}' WHERE key = 'schema'`);
    const ledger = openLedger({ file, clock: handClock() });
    const refused = { code: 'LEDGER_VERSION', retryable: false };
    await expect(ledger.planRows('plan-old')).rejects.toMatchObject(refused);
    await expect(ledger.setNote('probe', '')).rejects.toMatchObject(refused);
    await ledger.close();
    const db = await openDatabase(file, handClock(), 'read');
    expect((await db.get("SELECT value FROM meta WHERE key = 'schema'"))?.text('value')).toBe(version);
    await db.close();
  },
);
