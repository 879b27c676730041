/** Command line usage: every option and word is used or refused, and typos are corrected. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { COMMAND, environment } from '../server/spawned.ts';
import { temporaryFolder } from './setup/terminal.ts';

function typed(...args: string[]): { code: number | null; err: string; out: string } {
  const env = environment({ COUNTERSIGN_HOME: join(temporaryFolder(), 'home') });
  const { status, stderr, stdout } = spawnSync(process.execPath, [COMMAND, ...args], {
    env,
    encoding: 'utf8',
    input: '',
  });
  return { code: status, err: stderr, out: stdout };
}

test.each([
  [['docter'], 'Did you mean doctor?'],
  [['history', '--snce', '7d'], 'Did you mean --since?'],
  [['sandbox', '--set', 'slot-m=3'], 'countersign help settings'],
  [['history', '--write'], "unknown option '--write'"],
  [['serve', '--yes'], "unknown option '--yes'"],
  [['serve', 'live'], "too many arguments for 'serve'"],
  [['backup', 'one', 'two'], "too many arguments for 'backup'"],
  [['balance', '--webhook', 'x'], 'countersign settings webhook'],
])('%j is refused with %s', (args, message) => {
  const { code, err, out } = typed(...args);
  expect([code, out]).toEqual([2, '']);
  expect(err).toContain(message);
});

test('does not print a key pasted in place of a command or an option', () => {
  const key = '5Kd3NBUAdUnhyzenEwVLy9pBKxSwXvE9FMPyR4UKZvpe6E3AgLr';
  for (const args of [[key], [`--${key}`], ['doctor', '--set', `${key}=x`]]) {
    const { code, err, out } = typed(...args);
    expect(code).toBe(2);
    expect(err + out).not.toContain(key);
  }
});
