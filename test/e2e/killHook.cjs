/**
 * Loaded before the built server by the kill harness: kills its own process right before or right after the n-th
 * write of the ledger is committed (`KILL_AT=before:3`).
 */
const Database = require('libsql');

const [when, count] = (process.env.KILL_AT ?? '').split(':');
const { exec } = Database.prototype;
let isWrite = false;
let commits = 0;

const die = () => process.kill(process.pid, 'SIGKILL');

Database.prototype.exec = function (sql) {
  if (sql === 'BEGIN IMMEDIATE') isWrite = true;
  if (sql === 'BEGIN' || sql === 'ROLLBACK') isWrite = false;
  const counts = isWrite && sql === 'COMMIT';
  if (counts) {
    isWrite = false;
    commits += 1;
  }
  const due = counts && commits === Number(count);
  if (due && when === 'before') die();
  const result = exec.call(this, sql);
  if (due && when === 'after') die();
  return result;
};
