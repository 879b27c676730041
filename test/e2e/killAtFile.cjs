/** Loaded before the built command: kills its own process right before its n-th change to a file (`KILL_AT_FILE=3`). */
const fs = require('node:fs');
const { syncBuiltinESMExports } = require('node:module');

let left = Number(process.env.KILL_AT_FILE ?? 0);
const CHANGES = ['fchmodSync', 'fsyncSync', 'mkdirSync', 'renameSync', 'unlinkSync', 'writeSync'];

/** Whether a call opens a file to write it. */
const opensToWrite = (flags) =>
  typeof flags === 'string' ? /[wa+]/.test(flags) : ((flags ?? 0) & fs.constants.O_ACCMODE) !== 0;

for (const name of ['openSync', ...CHANGES]) {
  const original = fs[name];
  fs[name] = function (...words) {
    if (name !== 'openSync' || opensToWrite(words[1] ?? 'r')) {
      left -= 1;
      if (left === 0) process.kill(process.pid, 'SIGKILL');
    }
    return original.apply(this, words);
  };
}
syncBuiltinESMExports();
