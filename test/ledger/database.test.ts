import { expect, it } from 'vitest';
import { openDatabase } from '../../src/ledger/database.ts';
import { handClock, newFile } from './samples.ts';

it('gives each question its own answer, however the same statement was asked before', async () => {
  const db = await openDatabase(newFile(), handClock());
  db.write(() => {
    db.run("INSERT INTO meta VALUES ('a', '1')");
    db.run("INSERT INTO meta VALUES ('b', '2')");
  });
  const sql = 'SELECT value FROM meta WHERE key = ?';
  expect(db.all(sql, 'a').map((row) => row.text('value'))).toEqual(['1']);
  expect(db.get(sql, 'b')?.text('value')).toBe('2');
  expect(db.all(sql, 'c')).toEqual([]);
  expect(db.get(sql, 'a')?.text('value')).toBe('1');
  db.close();
});

it('opens a file for reading only where one is, and does not write to it', async () => {
  const file = newFile();
  await expect(openDatabase(file, handClock(), 'read')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  (await openDatabase(file, handClock())).close();
  const db = await openDatabase(file, handClock(), 'read');
  expect(db.get("SELECT value FROM meta WHERE key = 'schema'")?.text('value')).toBe('1');
  expect(() => db.write(() => db.run("INSERT INTO meta VALUES ('x', 'y')"))).toThrow();
  db.close();
});
