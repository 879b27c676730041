import Libsql from 'libsql';

/** Changes a ledger file behind the ledger's back. */
export function tamper(file: string, ...statements: string[]): void {
  const db = new Libsql(file);
  for (const sql of statements) db.exec(sql);
  db.close();
}
