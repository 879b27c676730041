/** T80: ledgers that were removed, emptied, cut, replaced or put back from an older copy. Nothing is signed under them. */
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { buildLedger, placeLedger } from '../../src/ledger/accept/rebuild.ts';
import { keeperOf } from '../../src/ledger/mark/keeper.ts';
import { markFile, readMark } from '../../src/ledger/mark/markFile.ts';
import { type HomeLedger, openLedger } from '../../src/ledger/sqlite/sqlite.ts';
import { Secret } from '../../src/secrets/secret.ts';
import { createMemoryStore, type SecretStore, secretNames } from '../../src/secrets/stores/store.ts';
import { handClock, NETWORK, sampleReserve, sampleRow, solPerDay, WALLET } from './samples.ts';

const clock = handClock();
const LOST = { code: 'LEDGER_LOST', class: 'security', retryable: false };
const newHome = () => mkdtempSync(join(tmpdir(), 'lost-'));

/** A store of the encrypted file's kind, or the environment's: only what `keeperOf` asks of one. */
const storeLike = (kind: SecretStore['kind']): SecretStore => ({ ...createMemoryStore(), kind });
const environment = async (fill = 7): Promise<SecretStore> => {
  const store = storeLike('env');
  await store.set(secretNames.wallet(WALLET), Secret.fromBytes(new Uint8Array(64).fill(fill)));
  return store;
};

let store: SecretStore;
beforeEach(async () => {
  store = await environment();
});

const open = (home: string, secrets = store): HomeLedger =>
  openLedger({ home, clock, keeper: keeperOf(secrets) });

let signatures = 0;
/** Signs as a server does: a lease, a reservation, a journal row. */
async function sign(
  ledger: HomeLedger,
  times = 1,
  more: { network?: string; deadHeight?: number } = {},
): Promise<void> {
  const lease = await ledger.acquireLease(WALLET, 'signer', 1e9);
  if (lease === undefined) throw new Error('no lease');
  for (let i = 0; i < times; i++) {
    const request = sampleReserve(lease, 5n, [solPerDay(10_000n)]);
    const outcome = await ledger.reserve(request);
    if (!outcome.ok) throw new Error(outcome.code);
    signatures += 1;
    const row = { ...sampleRow(request, `lost-${signatures}`), ...more };
    await ledger.journalSigned(lease, outcome.reservationId, row);
  }
}

/** A home whose ledger was signed under, closed in order or left as a kill leaves it. */
async function signedHome(end: 'closed' | 'killed', times = 6): Promise<{ home: string; older: string }> {
  const [home, older] = [newHome(), newHome()];
  const ledger = open(home);
  await sign(ledger, 2);
  await ledger.close();
  cpSync(home, older, { recursive: true });
  const again = open(home);
  await sign(again, times);
  if (end === 'killed') {
    const left = newHome();
    cpSync(home, left, { recursive: true });
    await again.close();
    return { home: left, older };
  }
  await again.close();
  return { home, older };
}

const remove = (home: string) => {
  for (const name of files(home)) rmSync(join(home, name));
};
const putBack = (older: string, home: string) => {
  for (const name of files(older)) copyFileSync(join(older, name), join(home, name));
};
const files = (home: string) => readdirSync(home).filter((name) => name.startsWith('ledger'));
const db = (home: string) => join(home, 'ledger.db');
const log = (home: string) => join(home, 'ledger.db-wal');
const half = (file: string) => truncateSync(file, Math.floor(statSync(file).size / 2));
const overwrite = (file: string, bytes: Uint8Array) => writeFileSync(file, bytes, { mode: 0o600 });

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
let fresh = '';
beforeAll(async () => {
  store = await environment();
  const other = newHome();
  const ledger = open(other);
  await sign(ledger, 12);
  await ledger.close();
  fresh = db(other);
});

describe('T80 F60 a ledger that was signed under and is then', () => {
  const cases = [
    ...OF_EVERY_HOME.flatMap(([what, hurt]) => [
      ['closed', what, hurt] as const,
      ['killed', what, hurt] as const,
    ]),
    ...OF_A_CLOSED_HOME.map(([what, hurt]) => ['closed', what, hurt] as const),
    ...OF_A_KILLED_HOME.map(([what, hurt]) => ['killed', what, hurt] as const),
  ];
  for (const [end, what, hurt] of cases) {
    it(`${what} (${end}) is lost: nothing can be reserved, now or by the next process`, async () => {
      const { home, older } = await signedHome(end);
      hurt(home, older);
      const before = files(home);
      for (let i = 0; i < 2; i++) {
        const ledger = open(home);
        await expect(sign(ledger)).rejects.toMatchObject(LOST);
        await expect(ledger.probe()).rejects.toMatchObject({
          hint: expect.stringContaining('ledger accept'),
        });
        expect(await ledger.damage()).toMatchObject(LOST);
        await ledger.close();
      }
      // No new ledger was begun where none was left.
      if (before.length === 0) expect(files(home)).toEqual([]);
    });

    it(`${what} (${end}) is lost for commands that hold no key, too`, async () => {
      const { home, older } = await signedHome(end);
      hurt(home, older);
      const ledger = openLedger({ home, clock });
      await expect(ledger.probe()).rejects.toMatchObject(LOST);
      await ledger.close();
    });
  }

  it('left alone goes on signing, closed or killed', async () => {
    for (const end of ['closed', 'killed'] as const) {
      const { home } = await signedHome(end);
      const ledger = open(home);
      await sign(ledger);
      expect((await ledger.used([solPerDay(1n)], WALLET, NETWORK))['sol-day']).toBe(45n);
      await ledger.close();
    }
  });

  it('older can still be read: what it holds is shown, and nothing is added to it', async () => {
    const { home, older } = await signedHome('closed');
    remove(home);
    putBack(older, home);
    const ledger = open(home);
    expect(await ledger.openRows({})).toHaveLength(2);
    await expect(ledger.setNote('x', 'y')).rejects.toMatchObject(LOST);
    expect(await ledger.note('x')).toBeUndefined();
    await ledger.close();
  });
});

describe('T80 a ledger that goes while it is used', () => {
  it('stops signing when it is removed, and a second process begins no other one', async () => {
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

  it('stops signing when its log alone is removed', async () => {
    const home = newHome();
    const ledger = open(home);
    await sign(ledger);
    rmSync(log(home));
    await expect(sign(ledger)).rejects.toMatchObject(LOST);
    await ledger.close();
  });

  it('stops signing before its first signature as well when another file takes its place', async () => {
    const home = newHome();
    const ledger = open(home);
    await ledger.probe();
    remove(home);
    copyFileSync(fresh, db(home));
    await expect(sign(ledger)).rejects.toMatchObject(LOST);
    await ledger.close();
  });

  it('signs again in the same process once the very ledger is put back', async () => {
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

describe('T80 a ledger begun again', () => {
  it('holds a transaction that two wallets of the home share once, and counts it for each of them', async () => {
    const home = newHome();
    const landed = {
      signature: 'shared',
      transaction: 'AA==',
      messageSha256: 'm',
      blockhash: 'b',
      slot: 3,
      error: null,
    };
    const time = clock.now();
    const spentBy = (wallet: string, amount: bigint) => ({
      wallet,
      network: NETWORK,
      time,
      uses: [{ asset: 'SOL', amount }],
      counts: [],
      landed,
    });
    const rebuilt = { spent: [spentBy(WALLET, 7n), spentBy('other', 3n)], mode: 'live' as const };
    const standing = await buildLedger(home, clock, rebuilt, async () => 'statement');
    await placeLedger(home, standing, keeperOf(store), time);
    const ledger = open(home);
    const used = async (wallet: string) => (await ledger.used([solPerDay(1n)], wallet, NETWORK))['sol-day'];
    expect([await used(WALLET), await used('other')]).toEqual([7n, 3n]);
    await ledger.probe();
    await ledger.close();
  });
});

describe('T80 the high-water mark', () => {
  it('is made with the first signature only: a home that never signed may be emptied by hand', async () => {
    const home = newHome();
    const ledger = open(home);
    await ledger.probe();
    await ledger.saveQuote('q', {}, 1);
    await ledger.close();
    expect(existsSync(markFile(home))).toBe(false);
    remove(home);
    const again = open(home);
    await sign(again);
    await again.close();
    expect(readMark(markFile(home))).toMatchObject({ ledger: expect.stringMatching(/^[0-9a-f]{32}$/) });
  });

  it('is not kept for a throw-away ledger, which may go at any time', async () => {
    const home = newHome();
    const ledger = openLedger({ home, clock });
    await sign(ledger);
    await ledger.close();
    remove(home);
    const again = openLedger({ home, clock });
    await sign(again);
    await again.close();
  });

  it('that was lowered or cut by hand is noticed before the next signature', async () => {
    const { home, older } = await signedHome('closed');
    const whole = readFileSync(markFile(home));
    const stored = readMark(markFile(home));
    if (stored === undefined || stored === 'damaged') throw new Error('no mark');
    const lowered = JSON.stringify({ ...stored, count: 1 }).padEnd(1024);
    for (const bytes of [Buffer.from(lowered), whole.subarray(0, 40), Buffer.alloc(0)]) {
      overwrite(markFile(home), bytes);
      putBack(older, home);
      const ledger = open(home);
      await expect(sign(ledger)).rejects.toMatchObject(LOST);
      await ledger.close();
    }
  });

  it('of which one slot was cut off by a power cut is still there in the other', async () => {
    const { home } = await signedHome('closed');
    const bytes = readFileSync(markFile(home));
    const newest = readMark(markFile(home));
    for (const at of [0, 512]) {
      const torn = Buffer.from(bytes);
      torn.fill(0, at + 30, at + 512);
      overwrite(markFile(home), torn);
      const left = readMark(markFile(home));
      if (left === undefined || left === 'damaged' || newest === undefined || newest === 'damaged')
        throw new Error('no mark is left');
      expect(newest.count - left.count).toBeLessThanOrEqual(1);
      const ledger = open(home);
      await sign(ledger);
      await ledger.close();
      overwrite(markFile(home), readFileSync(markFile(home)));
    }
  });

  it('never falls behind a lower one when two processes write in turn', async () => {
    const home = newHome();
    const [one, two] = [open(home), open(home)];
    let newest = 0;
    for (const ledger of [one, two, one, one, two, two, one]) {
      await sign(ledger);
      const mark = readMark(markFile(home));
      if (mark === undefined || mark === 'damaged') throw new Error('no mark');
      expect(mark.count).toBeGreaterThan(newest);
      newest = mark.count;
    }
    await Promise.all([one.close(), two.close()]);
  });

  it('keeps what each of two processes signed last, until nothing signed is open', async () => {
    const home = newHome();
    const [one, two] = [open(home), open(home)];
    const signed = () => {
      const mark = readMark(markFile(home));
      return mark === undefined || mark === 'damaged' ? 'no mark' : mark.lastSigned;
    };
    await sign(one, 1, { deadHeight: 500 });
    await sign(two, 1, { deadHeight: 400 });
    expect(signed()).toEqual([{ network: NETWORK, deadHeight: 500 }]);
    await sign(two, 1, { network: 'another', deadHeight: 90 });
    await one.setNote('x', 'y');
    await two.setNote('x', 'z');
    await sign(one, 1, { deadHeight: 450 });
    expect(signed()).toEqual(
      expect.arrayContaining([
        { network: NETWORK, deadHeight: 500 },
        { network: 'another', deadHeight: 90 },
      ]),
    );
    await Promise.all([one.close(), two.close()]);
    expect(signed()).toHaveLength(2);
  });

  it('of a home where nothing signed is open any more says so', async () => {
    const home = newHome();
    const ledger = open(home);
    const lease = await ledger.acquireLease(WALLET, 'signer', 1e9);
    await sign(ledger, 1);
    const [row] = await ledger.openRows({});
    if (row === undefined || lease === undefined) throw new Error('nothing was signed');
    await ledger.journalMove(row.signature, 'finalized', { lease, slot: 7 });
    await ledger.settle(row.signature, []);
    await ledger.close();
    expect(readMark(markFile(home))).toMatchObject({ lastSigned: [] });
  });

  it('and ledger that were removed together are missed where the secret store can remember them', async () => {
    for (const kind of ['file', 'keychain'] as const) {
      const secrets = storeLike(kind);
      const home = newHome();
      const ledger = open(home, secrets);
      await sign(ledger);
      await ledger.close();
      const older = newHome();
      cpSync(home, older, { recursive: true });
      const goesOn = open(home, secrets);
      await sign(goesOn);
      await goesOn.close();
      for (const name of readdirSync(home)) rmSync(join(home, name));
      const empty = open(home, secrets);
      await expect(sign(empty)).rejects.toMatchObject(LOST);
      await empty.close();
    }
  });

  it('made anew by hand does not pass for the one the secret store vouches for', async () => {
    const secrets = storeLike('file');
    const home = newHome();
    const ledger = open(home, secrets);
    await sign(ledger);
    await ledger.close();
    for (const name of readdirSync(home)) rmSync(join(home, name));
    const other = open(home, storeLike('file'));
    await sign(other);
    await other.close();
    const again = open(home, secrets);
    await expect(sign(again)).rejects.toMatchObject(LOST);
    await again.close();
  });

  it('whose store was not written yet when the process died is no loss', async () => {
    const secrets = storeLike('file');
    const home = newHome();
    const dies = { ...secrets, set: () => Promise.reject(new Error('killed')) };
    const ledger = open(home, dies);
    await expect(sign(ledger)).rejects.toThrow('killed');
    await ledger.close();
    const again = open(home, secrets);
    await sign(again);
    await again.close();
  });
});
