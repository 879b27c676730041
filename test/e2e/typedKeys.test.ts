/** A private key pasted into the wrong argument is not echoed: terminals keep their scrollback. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import bs58 from 'bs58';
import { expect, it, onTestFinished } from 'vitest';
import { createKeypair } from '../../src/secrets/keys/wallet.ts';
import { run } from './harness.ts';

it('a key in place of a command, subcommand, file or option is not repeated, and the remedy is printed', async () => {
  const key = bs58.encode(createKeypair().secret.exposeBytes());
  const home = mkdtempSync(join(tmpdir(), 'countersign-typed-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const lines = [
    [key],
    ['help', key],
    ['serve', key],
    [`--${key}`],
    ['wallet', key],
    ['wallet', 'import', key],
    ['owner', key],
    ['approve', key],
  ];
  for (const line of lines) {
    const { code, out, err } = await run(line, { COUNTERSIGN_HOME: home });
    const place = line.map((word) => word.replace(key, 'KEY')).join(' ');
    expect([place, code === 0, (out + err).includes(key.slice(0, 20))]).toEqual([place, false, false]);
    expect(err.trim().split('\n').length, place).toBeGreaterThan(1);
  }
});
