/** Faults of a shared database: races between hosts, lost connections, restarts. */

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { LedgerError } from '../../src/ledger/errors.ts';
import { noteOf } from '../../src/ledger/notes.ts';
import { type HomeLedger, openLedger } from '../../src/ledger/sqlite/sqlite.ts';
import { keeperOf } from '../../src/runtime/backends/checkpointKeeper.ts';
import { addressFault } from '../../src/runtime/ledgerPlace.ts';
import { startCut } from './cut.ts';
import { LOST, newHome, sign, store } from './damagedHomes.ts';
import { noPostgres, startPostgres, type TestPostgres } from './postgres.ts';
import {
  HOUR,
  handClock,
  NETWORK,
  samplePlan,
  sampleReserve,
  sampleRow,
  solPerDay,
  usedIn,
  WALLET,
} from './samples.ts';

const NO_LEASE = { wallet: WALLET, holder: 'none', fence: 0, expiresAt: 0 };

describe.skipIf(noPostgres !== undefined)(
  `a ledger on PostgreSQL${noPostgres ? ` (${noPostgres})` : ''}`,
  () => {
    let postgres: TestPostgres;
    let database: string;
    beforeAll(() => {
      postgres = startPostgres();
    });
    afterAll(() => postgres?.end());
    beforeEach(async () => {
      database = await postgres.newLedger();
    });
    const open = (at = database): HomeLedger => openLedger({ database: at, clock: handClock() });
    const count = async (table: string): Promise<number> =>
      Number((await postgres.query(database, `SELECT COUNT(*) AS n FROM ${table}`))[0]?.n);

    it('gives hosts that race for a limit no more than the limit, and each request of an hour once', async () => {
      const hosts = [open(), open(), open()];
      const lease = await hosts[0]?.lease({ wallet: WALLET, holder: 'shared' }, 60_000);
      if (lease === undefined) throw new Error('no lease');
      const limit = solPerDay(70n);
      const outcomes = await Promise.all(
        hosts.flatMap((host) =>
          Array.from({ length: 8 }, () => host.reserve(sampleReserve(lease, 7n, [limit]))),
        ),
      );
      expect(outcomes.filter(({ ok }) => ok)).toHaveLength(10);
      const grants = await Promise.all(hosts.map((host) => host.leaseRequests('https://service', 30, 50)));
      expect(grants.reduce((sum, { granted }) => sum + granted, 0)).toBe(50);
      expect(await usedIn(hosts[1], [limit], WALLET, NETWORK)).toEqual({ 'sol-day': 70n });
      const record = await hosts[2]?.verifyDecisions();
      expect(record).toMatchObject({ rows: 10 });
      expect(record).not.toHaveProperty('brokenAt');
      await Promise.all(hosts.map((host) => host.close()));
    });

    it('gives a wallet to one of several hosts that want it at once', async () => {
      const hosts = [open(), open(), open()];
      const got = await Promise.all(
        hosts.map((host, i) => host.lease({ wallet: WALLET, holder: `host-${i}:1:x` }, 60_000)),
      );
      expect(got.filter((lease) => lease !== undefined)).toHaveLength(1);
      await Promise.all(hosts.map((host) => host.close()));
    });

    it('stores one plan of an intent that several hosts build at once', async () => {
      const hosts = [open(), open(), open()];
      const stored = await Promise.all(
        hosts.map((host, i) => host.storePlan(samplePlan({ planId: `plan-${i}`, intentKey: 'one' }))),
      );
      expect(stored.filter((each) => each.stored)).toHaveLength(1);
      expect(new Set(stored.map(({ plan }) => plan.planId)).size).toBe(1);
      await Promise.all(hosts.map((host) => host.close()));
    });

    describe('whose connection is lost while a commit is under way (T128)', () => {
      it.each([
        ['after it was made', 'after', 1],
        ['before it was made', 'before', 0],
      ] as const)('is read back %s and written once or not at all', async (_, when, rows) => {
        const cut = await startCut(database);
        const ledger = open(cut.address);
        await noteOf(ledger, 'opened');
        await ledger.setNote('first', 'before the cut');
        const commits = await count('commits');
        cut.next(when);
        const written = ledger.storePlan(samplePlan()).then(
          () => 'written',
          (error: unknown) => (error instanceof LedgerError ? error.code : error),
        );
        expect(await written).toBe(rows === 1 ? 'written' : 'LEDGER_UNHEALTHY');
        expect(await count('plans')).toBe(rows);
        expect(await count('commits')).toBe(commits + rows);
        // The same ledger continues.
        await ledger.setNote('second', 'after the cut');
        expect(await noteOf(ledger, 'second')).toBe('after the cut');
        await ledger.close();
        await cut.end();
      });
    });

    it('that is stopped is unhealthy and signs nothing, and resumes once it runs again', async () => {
      const ledger = open();
      const lease = await ledger.lease({ wallet: WALLET, holder: 'test' }, 60_000);
      if (lease === undefined) throw new Error('no lease');
      const request = sampleReserve(lease, 7n, [solPerDay(70n)]);
      const reserved = await ledger.reserve(request);
      if (!reserved.ok) throw new Error(reserved.code);
      postgres.stop('immediate');
      const refusal = await ledger
        .journalSigned(lease, reserved.reservationId, sampleRow(request, 'signature'))
        .catch((error: unknown) => error);
      expect(refusal).toMatchObject({ code: 'LEDGER_UNHEALTHY', retryable: true });
      expect(`${refusal}`).not.toContain('postgres:');
      await expect(open().setNote('probe', '')).rejects.toMatchObject({ code: 'LEDGER_UNHEALTHY' });
      postgres.start();
      expect(await ledger.rows('journal', { open: true })).toEqual([]);
      const row = sampleRow(request, 'signature');
      expect(await ledger.journalSigned(lease, reserved.reservationId, row)).toMatchObject({ ok: true });
      expect((await ledger.rows('journal', { open: true })).map(({ signature }) => signature)).toEqual([
        'signature',
      ]);
      await ledger.close();
    });

    it.each([
      ['an older state was restored', "UPDATE meta SET value = '1' WHERE key = 'writes'"],
      ['it was emptied', 'DROP TABLE meta, plans, revisions, decisions, reservations, uses, journal'],
      ['another one replaced it', "UPDATE meta SET value = repeat('0', 32) WHERE key = 'ledger'"],
    ])('is refused by a host that signed under it if %s (T80, T128)', async (_, sql) => {
      const home = newHome();
      const host = () => openLedger({ home, database, clock: handClock(), keeper: keeperOf(store) });
      const ledger = host();
      await sign(ledger, 3);
      await ledger.close();
      const again = host();
      await sign(again);
      await again.close();
      await postgres.query(database, sql);
      const after = host();
      const hint = expect.stringMatching(/newest state of this database.* works on a file/);
      await expect(sign(after)).rejects.toMatchObject({ ...LOST, hint });
      expect(await after.damage()).toMatchObject({ ...LOST, hint });
      await after.close();
    });

    describe('that fails over to a server without the last writes (T128)', () => {
      /** Returns a host, and a function that restores the state of now behind the hosts' back. */
      const fleet = async () => {
        const clock = handClock();
        const host = () => openLedger({ home: newHome(), database, clock, keeper: keeperOf(store) });
        const keep = async () => {
          const replica = await postgres.newLedger();
          const [to, from] = [database, replica].map((at) => /ledger_\d+/.exec(decodeURIComponent(at))?.[0]);
          await postgres.copy(database, replica);
          return async () => {
            const names = await postgres.query(
              database,
              `SELECT tablename AS t FROM pg_tables WHERE schemaname = '${to}'`,
            );
            const moved = names.flatMap(({ t }) => [
              `DELETE FROM ${to}.${t}`,
              `INSERT INTO ${to}.${t} SELECT * FROM ${from}.${t}`,
            ]);
            await postgres.query(database, ['BEGIN', ...moved, 'COMMIT'].join('; '));
          };
        };
        return { clock, hosts: [host(), host()] as const, keep };
      };
      const spend = async (host: HomeLedger, amount: bigint): Promise<unknown> => {
        const lease = await host.lease({ wallet: WALLET, holder: 'shared' }, 60_000);
        if (lease === undefined) return 'no lease';
        const request = sampleReserve(lease, amount, [solPerDay(70n)]);
        const { planId, intentKey } = request.decision;
        await host.storePlan(samplePlan({ planId, intentKey }));
        const reserved = await host.reserve(request);
        if (!reserved.ok) return reserved.code;
        await host.journalSigned(lease, reserved.reservationId, sampleRow(request, `signature of ${planId}`));
        return 'signed';
      };

      it('is refused by the host that made them, also once another host has written more', async () => {
        const { hosts, keep } = await fleet();
        const [host, other] = hosts;
        expect([await spend(other, 10n), await spend(host, 10n)]).toEqual(['signed', 'signed']);
        const failOver = await keep();
        expect(await spend(host, 50n)).toBe('signed');
        await failOver();
        for (let i = 0; i < 10; i++) await other.setNote(`note ${i}`, '');
        for (const amount of [50n, 1n]) await expect(spend(host, amount)).rejects.toMatchObject(LOST);
        expect(await host.damage()).toMatchObject(LOST);
        await Promise.all(hosts.map((each) => each.close()));
      });

      it('is used on by hosts whose writes it has, and after the ids of old writes are forgotten', async () => {
        const { hosts, keep, clock } = await fleet();
        const [host, other] = hosts;
        expect([await spend(other, 10n), await spend(host, 10n)]).toEqual(['signed', 'signed']);
        await (await keep())();
        expect([await spend(other, 10n), await spend(host, 10n)]).toEqual(['signed', 'signed']);
        clock.at += 25 * HOUR;
        await other.setNote('forgets', '');
        expect(await count('commits')).toBe(1);
        expect(await spend(host, 10n)).toBe('signed');
        await Promise.all(hosts.map((each) => each.close()));
      });
    });

    it('gives a database remedy, not a file remedy, for each reason it is unavailable', async () => {
      const first = open();
      await first.setNote('a', 'b');
      await first.close();
      await postgres.query(database, 'CREATE ROLE reader LOGIN');
      const reader = open(database.replace('countersign@', 'reader@'));
      await expect(reader.setNote('a', 'c')).rejects.toMatchObject({
        code: 'LEDGER_UNHEALTHY',
        hint: expect.stringContaining('Grant the user'),
      });
      await expect(open(database.replace('/postgres?', '/none?')).setNote('probe', '')).rejects.toMatchObject(
        {
          code: 'LEDGER_UNHEALTHY',
          hint: expect.stringContaining('createdb'),
        },
      );
      await expect(
        open(database.replace('countersign@', 'stranger@')).setNote('probe', ''),
      ).rejects.toMatchObject({
        code: 'LEDGER_UNHEALTHY',
        hint: expect.stringContaining('pg_hba.conf'),
      });
      const broken = open();
      await broken.recordDecision(sampleReserve(NO_LEASE, 1n, []).decision);
      await broken.close();
      await postgres.query(database, "UPDATE decisions SET hash = repeat('0', 64)");
      const damaged = open();
      await expect(damaged.setNote('a', 'd')).rejects.toMatchObject({
        code: 'LEDGER_CORRUPT',
        hint: expect.stringContaining("PostgreSQL's own tools"),
      });
      await Promise.all([reader.close(), damaged.close()]);
    });

    it('of a newer version is left unchanged', async () => {
      const first = open();
      await first.setNote('a', 'b');
      await first.close();
      await postgres.query(database, "UPDATE meta SET value = '99' WHERE key = 'schema'");
      const ledger = open();
      await expect(ledger.setNote('a', 'c')).rejects.toMatchObject({
        code: 'LEDGER_VERSION',
        hint: expect.stringContaining('or name another database'),
      });
      await ledger.close();
      expect(await postgres.query(database, "SELECT value FROM notes WHERE key = 'a'")).toEqual([
        { value: 'b' },
      ]);
    });
  },
);

it('reports a remote address without TLS, without printing it', () => {
  for (const fine of [
    'postgres://me@localhost/ledger',
    'postgresql://me:secret-word@127.0.0.1:5433/ledger',
    'postgres://me@/ledger?host=/run/postgresql',
    'postgres://me@db.example/ledger?sslmode=verify-full',
    'postgres://me@db.example/ledger?sslmode=disable',
  ])
    expect(addressFault(fine), fine).toBeUndefined();
  for (const not of [
    'mysql://me:secret-word@localhost/ledger',
    'secret-word',
    'postgres://me:secret-word@db.example/ledger',
  ]) {
    expect(addressFault(not), not).toBeDefined();
    expect(addressFault(not)).not.toContain('secret-word');
  }
});
