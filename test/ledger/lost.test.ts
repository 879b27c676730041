/**
 * T80: ledgers that were removed, emptied, truncated, replaced or restored from an older copy. Nothing is signed under
 * them.
 */

import { copyFileSync, cpSync, readFileSync, rmSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { buildLedger, placeLedger } from '../../src/cli/records/ledger/newLedger.ts';
import { frozenFor } from '../../src/ledger/frozen.ts';
import { noteOf } from '../../src/ledger/notes.ts';
import { openLedger } from '../../src/ledger/sqlite/sqlite.ts';
import { keeperOf } from '../../src/runtime/backends/checkpointKeeper.ts';
import {
  clock,
  db,
  files,
  LOST,
  log,
  newHome,
  open,
  overwrite,
  putBack,
  remove,
  sign,
  signedHome,
  store,
} from './damagedHomes.ts';
import { HOUR, NETWORK, sampleReserve, sampleStage, solPerDay, usedIn, WALLET } from './samples.ts';

const half = (file: string) => truncateSync(file, Math.floor(statSync(file).size / 2));

type Damage = readonly [what: string, hurt: (home: string, older: string) => void];
const OF_EVERY_HOME: readonly Damage[] = [
  ['removed', (home) => remove(home)],
  ['removed beside its log', (home) => rmSync(db(home))],
  ['emptied', (home) => truncateSync(db(home), 0)],
  [
    'without its header',
    (home) => overwrite(db(home), Buffer.concat([Buffer.alloc(100), readFileSync(db(home)).subarray(100)])),
  ],
  [
    'replaced by another one',
    (home) => {
      remove(home);
      copyFileSync(fresh, db(home));
    },
  ],
  [
    'put back from an older copy',
    (home, older) => {
      remove(home);
      putBack(older, home);
    },
  ],
];
const OF_A_CLOSED_HOME: readonly Damage[] = [
  ['cut to its first page', (home) => truncateSync(db(home), 4096)],
  ['cut in half', (home) => half(db(home))],
  ['overwritten with garbage', (home) => overwrite(db(home), Buffer.alloc(8192, 7))],
];
const OF_A_KILLED_HOME: readonly Damage[] = [
  ['without its log', (home) => rmSync(log(home))],
  ['with an emptied log', (home) => truncateSync(log(home), 0)],
  ['with half of its log', (home) => half(log(home))],
  ['with garbage for a log', (home) => overwrite(log(home), Buffer.alloc(8192, 7))],
];
/** Ledger of another home. */
let fresh = '';
beforeAll(async () => {
  const other = newHome();
  const ledger = open(other);
  await sign(ledger, 12);
  await ledger.close();
  fresh = db(other);
});

describe('T80 F60 a ledger with signatures that is then', () => {
  const cases = [
    ...OF_EVERY_HOME.flatMap(([label, hurt]) => [
      ['closed', label, hurt] as const,
      ['killed', label, hurt] as const,
    ]),
    ...OF_A_CLOSED_HOME.map(([label, hurt]) => ['closed', label, hurt] as const),
    ...OF_A_KILLED_HOME.map(([label, hurt]) => ['killed', label, hurt] as const),
  ];
  for (const [end, description, hurt] of cases) {
    it(`${description} (${end}) is lost: nothing can be reserved, now or by the next process`, async () => {
      const { home, older } = await signedHome(end);
      hurt(home, older);
      const before = files(home);
      for (let i = 0; i < 2; i++) {
        const ledger = open(home);
        await expect(sign(ledger)).rejects.toMatchObject(LOST);
        await expect(ledger.setNote('probe', '')).rejects.toMatchObject({
          hint: expect.stringContaining('ledger accept'),
        });
        expect(await ledger.damage()).toMatchObject(LOST);
        await ledger.close();
      }
      // No new ledger was created in place of a missing one.
      if (before.length === 0) expect(files(home)).toEqual([]);
    });

    it(`${description} (${end}) is lost for commands without a key, too`, async () => {
      const { home, older } = await signedHome(end);
      hurt(home, older);
      const ledger = openLedger({ home, clock });
      await expect(ledger.setNote('probe', '')).rejects.toMatchObject(LOST);
      await ledger.close();
    });
  }

  it('F46 killed, with a flipped byte in its log, is lost or still holds every signature', async () => {
    const { home } = await signedHome('killed');
    const whole = readFileSync(log(home));
    let noticed = 0;
    for (let at = 5; at < whole.length; at += Math.floor(whole.length / 20)) {
      const damaged = newHome();
      cpSync(home, damaged, { recursive: true });
      rmSync(`${db(damaged)}-shm`, { force: true });
      const flipped = Buffer.from(whole);
      flipped[at] = (flipped[at] ?? 0) ^ 0x10;
      overwrite(log(damaged), flipped);
      const ledger = open(damaged);
      const damage = await ledger.damage();
      if (damage === undefined)
        expect(await ledger.rows('journal', { open: true }), `flipped at ${at}`).toHaveLength(8);
      else {
        expect(damage).toMatchObject(LOST);
        noticed += 1;
      }
      await ledger.close();
    }
    expect(noticed).toBeGreaterThan(10);
  });

  it('left unchanged keeps signing, closed or killed', async () => {
    for (const end of ['closed', 'killed'] as const) {
      const { home } = await signedHome(end);
      const ledger = open(home);
      await sign(ledger);
      expect((await usedIn(ledger, [solPerDay(1n)], WALLET, NETWORK))['sol-day']).toBe(45n);
      await ledger.close();
    }
  });

  it('replaced by an older copy can be read but not written', async () => {
    const { home, older } = await signedHome('closed');
    remove(home);
    putBack(older, home);
    const ledger = open(home);
    expect(await ledger.rows('journal', { open: true })).toHaveLength(2);
    await expect(ledger.setNote('x', 'y')).rejects.toMatchObject(LOST);
    expect(await noteOf(ledger, 'x')).toBeUndefined();
    await ledger.close();
  });
});

describe('T80 a ledger removed during use', () => {
  it('stops signing, and a second process begins no new one', async () => {
    const home = newHome();
    const ledger = open(home);
    await sign(ledger);
    remove(home);
    await expect(sign(ledger)).rejects.toMatchObject(LOST);
    const second = open(home);
    await expect(sign(second)).rejects.toMatchObject(LOST);
    expect(files(home)).toEqual([]);
    await Promise.all([ledger.close(), second.close()]);
  });

  it('stops signing if only its log is removed', async () => {
    const home = newHome();
    const ledger = open(home);
    await sign(ledger);
    rmSync(log(home));
    await expect(sign(ledger)).rejects.toMatchObject(LOST);
    await ledger.close();
  });

  it('stops signing before its first signature too if another file replaces it', async () => {
    const home = newHome();
    const ledger = open(home);
    await ledger.setNote('probe', '');
    remove(home);
    copyFileSync(fresh, db(home));
    await expect(sign(ledger)).rejects.toMatchObject(LOST);
    await ledger.close();
  });

  it('signs again in the same process once the same ledger is restored', async () => {
    const home = newHome();
    const ledger = open(home);
    await sign(ledger);
    const aside = newHome();
    for (const name of files(home)) {
      cpSync(join(home, name), join(aside, name));
      rmSync(join(home, name));
    }
    await expect(sign(ledger)).rejects.toMatchObject(LOST);
    rmSync(join(aside, 'ledger.db-shm'), { force: true });
    for (const name of files(aside)) cpSync(join(aside, name), join(home, name));
    await sign(ledger);
    await ledger.close();
  });
});

describe('T80 a ledger accepted in place of a lost one', () => {
  it('counts every limit as used until its window has passed, across restarts', async () => {
    const { home } = await signedHome('closed');
    remove(home);
    const identity = await buildLedger(home, clock, 'stopped before', async () => 'statement');
    await placeLedger(home, identity, keeperOf(store), clock.now());
    const accepted = clock.now();
    const reserving = async (kind: 'day' | 'hour') => {
      const ledger = open(home);
      const lease = await ledger.lease({ wallet: WALLET, holder: 'signer' }, 1e12);
      if (lease === undefined) throw new Error('no lease');
      const daily = solPerDay(100n);
      const limit = kind === 'day' ? daily : { ...daily, id: 'sol-hour', window: { rollingMs: HOUR } };
      const request = sampleReserve(lease, 1n, [limit]);
      const outcome = await ledger.reserve(request);
      const { exhausted } = await ledger.view(sampleStage([limit]));
      await ledger.close();
      return [outcome.ok ? 'ok' : outcome.code, exhausted[limit.id]];
    };
    const ledger = open(home);
    expect((await frozenFor(ledger))?.reason).toBe('stopped before');
    await ledger.freeze({ lifted: undefined });
    await ledger.close();
    expect(await reserving('day')).toEqual(['LIMIT_EXCEEDED', accepted + 24 * HOUR]);
    clock.at = accepted + HOUR - 1;
    expect(await reserving('hour')).toEqual(['LIMIT_EXCEEDED', accepted + HOUR]);
    clock.at = accepted + HOUR;
    expect(await reserving('hour')).toEqual(['ok', undefined]);
    expect(await reserving('day')).toEqual(['LIMIT_EXCEEDED', accepted + 24 * HOUR]);
    // The reservation for the hour counts for the day as well.
    clock.at = accepted + 24 * HOUR;
    expect(await reserving('day')).toEqual(['ok', undefined]);
  });
});
