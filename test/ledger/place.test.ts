/** F61: permitted ledger locations, and the error for others. */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { doctorCommand } from '../../src/cli/doctor/doctor.ts';
import { openLedger } from '../../src/ledger/sqlite/sqlite.ts';
import { run } from '../cli/terminal.ts';
import { handClock, samplePlan } from './samples.ts';

const newHome = () => mkdtempSync(join(tmpdir(), 'place-'));
const modeOf = (path: string) => statSync(path).mode & 0o777;
const doctorLine = async (home: string) => {
  const { out } = await run(doctorCommand, { home, options: { live: true } });
  return out.split('\n').find((line) => / ledger /.test(line));
};

type Place = readonly [what: string, make: (home: string) => string, message: RegExp];
const PLACES: readonly Place[] = [
  [
    'is a symbolic link',
    (home) => {
      const target = join(newHome(), 'target');
      writeFileSync(target, '', { mode: 0o644 });
      symlinkSync(target, join(home, 'ledger.db'));
      return home;
    },
    /ledger\.db is a symbolic link/,
  ],
  [
    'is the file of another home under a second name',
    (home) => {
      const target = join(newHome(), 'ledger.db');
      writeFileSync(target, '', { mode: 0o600 });
      linkSync(target, join(home, 'ledger.db'));
      return home;
    },
    /ledger\.db has a second name/,
  ],
  [
    'is a FIFO',
    (home) => {
      execFileSync('mkfifo', ['-m', '600', join(home, 'ledger.db')]);
      return home;
    },
    /ledger\.db is not a regular file/,
  ],
  [
    'is a folder',
    (home) => {
      mkdirSync(join(home, 'ledger.db'));
      return home;
    },
    /ledger\.db is not a regular file/,
  ],
  [
    'can be opened by others',
    (home) => {
      writeFileSync(join(home, 'ledger.db'), '', { mode: 0o600 });
      chmodSync(join(home, 'ledger.db'), 0o666);
      return home;
    },
    /ledger\.db can be opened by other users/,
  ],
  [
    'has a link for a log',
    (home) => {
      writeFileSync(join(home, 'ledger.db'), '', { mode: 0o600 });
      symlinkSync(join(home, 'nowhere'), join(home, 'ledger.db-wal'));
      return home;
    },
    /ledger\.db-wal is a symbolic link/,
  ],
  [
    'is in a home that others can write',
    (home) => {
      chmodSync(home, 0o777);
      return home;
    },
    /Other users can put files into the home folder/,
  ],
  [
    'is in a home that is a link',
    (home) => {
      const link = join(newHome(), 'link');
      symlinkSync(home, link);
      return link;
    },
    /home folder .*link is a symbolic link/,
  ],
];

describe('F61 a ledger that', () => {
  it.each(PLACES)(
    '%s is refused: no link is followed, nothing hangs, and doctor reports it',
    async (_, make, message) => {
      const home = make(newHome());
      const ledger = openLedger({ home, clock: handClock() });
      for (const call of [() => ledger.rows('plans', {}), () => ledger.storePlan(samplePlan())]) {
        await expect(call()).rejects.toMatchObject({
          code: 'INSECURE_FILE',
          message: expect.stringMatching(message),
          hint: expect.stringMatching(/\S/),
        });
      }
      await ledger.close();
      expect(await doctorLine(home)).toMatch(/^MISS .*INSECURE_FILE/);
    },
  );

  it('is a link leaves its target unchanged', async () => {
    const [home, target] = [newHome(), join(newHome(), 'target')];
    writeFileSync(target, 'mine', { mode: 0o644 });
    chmodSync(target, 0o644);
    symlinkSync(target, join(home, 'ledger.db'));
    const ledger = openLedger({ home, clock: handClock() });
    await expect(ledger.setNote('probe', '')).rejects.toMatchObject({ code: 'INSECURE_FILE' });
    await ledger.close();
    expect([modeOf(target), readFileSync(target, 'utf8')]).toEqual([0o644, 'mine']);
  });

  it('cannot be kept at its home reports the folder and a remedy, and doctor does not pass', async () => {
    const file = join(newHome(), 'file');
    writeFileSync(file, '');
    const ledger = openLedger({ home: join(file, 'home'), clock: handClock() });
    await expect(ledger.rows('plans', {})).rejects.toMatchObject({
      code: 'LEDGER_UNHEALTHY',
      message: expect.stringContaining(join(file, 'home')),
      hint: expect.stringContaining('--home DIR'),
    });
    await ledger.close();
    expect(await doctorLine(join(file, 'home'))).toMatch(/^MISS .*LEDGER_UNHEALTHY/);
  });

  it('is in a private home, or in one that others can only list, is readable by its user alone', async () => {
    for (const mode of [0o700, 0o755]) {
      const home = join(newHome(), 'home');
      mkdirSync(home, { mode });
      chmodSync(home, mode);
      const ledger = openLedger({ home, clock: handClock() });
      await ledger.storePlan(samplePlan());
      await ledger.close();
      expect(modeOf(join(home, 'ledger.db'))).toBe(0o600);
      expect(await doctorLine(home)).toMatch(/^ok /);
    }
    const fresh = join(newHome(), 'not', 'there');
    expect(await doctorLine(fresh)).toMatch(/^ok .*nothing recorded yet/);
    expect(existsSync(fresh)).toBe(false);
  });
});
