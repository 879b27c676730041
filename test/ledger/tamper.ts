import Libsql from 'libsql';

/** Changes a file from outside, past the ledger. */
export function tamper(file: string, ...statements: string[]): void {
  const db = new Libsql(file);
  for (const sql of statements) db.exec(sql);
  db.close();
}
