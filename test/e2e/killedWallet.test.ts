/** `countersign wallet create`, killed before each file change, and the state afterwards. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { EXHAUSTIVE } from '../exhaustive.ts';
import { CHEAP_PASSPHRASES } from './cheapPassphrases.ts';
import { run } from './harness.ts';
import { typeInto } from './typist.ts';

const HOOK = resolve(import.meta.dirname, 'killAtFile.cjs');
const PASSPHRASE = 'orbit velvet canyon mosaic';
/** Upper bound of file changes during wallet creation. */
const MOST = 60;
/** `npm run exhaustive` kills at every change; the suite at one in nine. */
const STEP = EXHAUSTIVE ? 1 : 9;

let homes: string;
beforeAll(() => {
  homes = mkdtempSync(join(tmpdir(), 'countersign-killed-'));
});
afterAll(() => rmSync(homes, { recursive: true, force: true }));

const surroundings = (home: string) => ({
  COUNTERSIGN_HOME: home,
  COUNTERSIGN_PASSPHRASE: PASSPHRASE,
  DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nonexistent',
  ...CHEAP_PASSPHRASES,
});

/** Creates a wallet and kills the process at a file change. Returns whether it died and the address printed before. */
async function killed(home: string, at: number): Promise<{ died: boolean; output: string }> {
  const { code, out } = await run(['wallet', 'create'], {
    ...surroundings(home),
    NODE_OPTIONS: `${CHEAP_PASSPHRASES.NODE_OPTIONS} --require ${HOOK}`,
    KILL_AT_FILE: String(at),
  });
  return { died: code === null, output: out.trim() };
}

it('the next `wallet create` completes a killed one or names its wallet, so that there is exactly one', async () => {
  let records = 0;
  let at = 1;
  for (; at < MOST; at += STEP) {
    const home = join(homes, `at-${at}`);
    const env = surroundings(home);
    const { died, output } = await killed(home, at);
    if (!died) break;
    const keyThere = existsSync(join(home, 'secrets.age'));
    if (existsSync(join(home, 'secret-store.json')) && !keyThere) {
      records += 1;
      // Missing parts are reported with the command that adds them.
      const doctor = await run(['doctor', '--live'], env);
      expect(doctor.out.replace(/\s+/g, ' ')).toContain('MISS wallet none → countersign wallet create');
    }
    const again = await run(['wallet', 'create'], env);
    const shown = await run(['wallet', 'show'], env);
    expect([at, shown.code, shown.out.trim().split('\n').length]).toEqual([at, 0, 1]);
    if (again.code === 0) expect([at, again.out, keyThere]).toEqual([at, shown.out, false]);
    else {
      expect([at, again.err]).toEqual([
        at,
        expect.stringContaining(`already has a wallet: ${shown.out.trim()}.`),
      ]);
      expect(again.err).toContain('`countersign wallet show`');
    }
    if (output !== '') expect([at, output]).toEqual([at, shown.out.trim()]);
  }
  // Kills happened between choosing a store and storing the first key, and afterwards.
  if (EXHAUSTIVE) expect(records).toBeGreaterThan(2);
  expect(at).toBeGreaterThan(records + 4);
  expect(at).toBeLessThan(MOST);
});

it('`init` after a killed `wallet create` asks for a new passphrase twice, as on a first run', async () => {
  const home = join(homes, 'init');
  for (let at = 1; !existsSync(join(home, 'secret-store.json')); at++) await killed(home, at);
  expect(existsSync(join(home, 'secrets.age'))).toBe(false);
  const { COUNTERSIGN_PASSPHRASE: _, ...env } = surroundings(home);
  const typed = await typeInto(
    ['wallet', 'create'],
    { PATH: process.env.PATH ?? '', TERM: 'xterm', ...env },
    [
      { question: 'Passphrase of the secret file:', answer: PASSPHRASE },
      { question: 'The same again:', answer: PASSPHRASE },
    ],
  );
  expect([typed.code, typed.shown]).toEqual([0, expect.stringContaining('Created.')]);
});
