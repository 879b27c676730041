/**
 * Concurrent writes of several hosts on PostgreSQL: which block each other, which do not, and the limits they enforce.
 */

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { checkpointFile, readCheckpoint } from '../../src/ledger/checkpoint/checkpointFile.ts';
import { cancelledNote, noteOf } from '../../src/ledger/notes.ts';
import { openPostgres } from '../../src/ledger/postgres/database.ts';
import { type HomeLedger, openLedger } from '../../src/ledger/sqlite/sqlite.ts';
import { tenantLedger } from '../../src/ledger/tenantLedger.ts';
import type { Lease, Ledger } from '../../src/ledger/types.ts';
import { keeperOf } from '../../src/runtime/backends/checkpointKeeper.ts';
import { startCut } from './cut.ts';
import { LOST, newHome, store } from './damagedHomes.ts';
import { noPostgres, startPostgres, type TestPostgres } from './postgres.ts';
import {
  handClock,
  NETWORK,
  samplePlan,
  sampleQuestion,
  sampleReserve,
  sampleRow,
  solPerDay,
  spending,
  usedIn,
  WALLET,
} from './samples.ts';

const OTHER = 'SecondWa11et1111111111111111111111111111111';
const LIMIT = solPerDay(70n);
const FAR = { expiresAt: 2_000_000_000_000 };

describe.skipIf(noPostgres !== undefined)(
  `writes of several hosts on PostgreSQL${noPostgres ? ` (${noPostgres})` : ''}`,
  () => {
    let postgres: TestPostgres;
    let database: string;
    let ending: (() => Promise<unknown>)[] = [];
    beforeAll(() => {
      postgres = startPostgres();
    });
    afterAll(() => postgres?.end());
    beforeEach(async () => {
      database = await postgres.newLedger();
      return async () => {
        for (const end of ending.reverse()) await end();
        ending = [];
      };
    });
    const open = (at = database, home?: string): HomeLedger => {
      const keeper = home === undefined ? {} : { home, keeper: keeperOf(store) };
      const ledger = openLedger({ database: at, clock: handClock(), ...keeper });
      ending.push(() => ledger.close());
      return ledger;
    };
    const openTables = async () => {
      const db = await openPostgres(database, handClock());
      ending.push(() => db.close());
      return db;
    };
    const leased = async (ledger: Ledger, wallet = WALLET): Promise<Lease> => {
      const lease = await ledger.lease({ wallet, holder: 'shared' }, 1e9);
      if (lease === undefined) throw new Error('no lease');
      return lease;
    };
    const count = async (sql: string): Promise<number> => Number((await postgres.query(database, sql))[0]?.n);
    /** Waits until the given number of transactions wait for a lock. */
    const waiting = async (transactions: number): Promise<void> => {
      const sql = 'SELECT COUNT(DISTINCT pid) AS n FROM pg_locks WHERE NOT granted';
      while ((await count(sql)) !== transactions) await new Promise((resolve) => setTimeout(resolve, 5));
    };
    /** Opens a transaction on another connection; its writes stay uncommitted until it is ended. */
    const besides = async (...statements: string[]) => {
      const client = await postgres.connect(database);
      await client.query('BEGIN');
      for (const sql of statements) await client.query(sql);
      const end = () => client.end();
      ending.push(end);
      return { end };
    };
    const stateOf = (promise: Promise<unknown>) => {
      const state = { over: false };
      const over = () => {
        state.over = true;
      };
      promise.then(over, over);
      return state;
    };
    /** Returns a reservation request for a new plan of a wallet. */
    const request = (lease: Lease, amount: bigint, more: Parameters<typeof sampleReserve>[3] = {}) => {
      const name = `plan-${crypto.randomUUID()}`;
      const plan = samplePlan({ planId: name, intentKey: name, wallet: lease.wallet });
      return sampleReserve(lease, amount, [LIMIT], { plan, ...more });
    };
    const reserved = async (ledger: Ledger, reserveRequest: ReturnType<typeof request>): Promise<string> => {
      const outcome = await ledger.reserve(reserveRequest);
      if (!outcome.ok) throw new Error(outcome.code);
      return outcome.reservationId;
    };

    it.each(['two hosts', 'one host'])('run in the requested order on %s', async (hosts) => {
      const first = await openTables();
      const second = hosts === 'one host' ? first : await openTables();
      let release = (): void => undefined;
      const released = new Promise<void>((resolve) => {
        release = resolve;
      });
      ending.push(async () => release());
      const order: string[] = [];
      let begun = (): void => undefined;
      const inside = new Promise<void>((resolve) => {
        begun = resolve;
      });
      const held = first.write(async () => {
        begun();
        await released;
        order.push('first');
      });
      await inside;
      const next = second.write(() => void order.push('second'));
      const last = second.write(() => void order.push('third'));
      if (hosts === 'two hosts') await waiting(1);
      release();
      await Promise.all([held, next, last]);
      expect(order).toEqual(['first', 'second', 'third']);
      expect((await first.identity())?.count).toBe(3);
    });

    it("of two wallets of one principal each use their own wallet's limit, in one record", async () => {
      const hosts = [tenantLedger(open(), { principal: 'one' }), tenantLedger(open(), { principal: 'one' })];
      const [host = open()] = hosts;
      const leases = [await leased(host), await leased(host, OTHER)];
      const outcomes = await Promise.all(
        hosts.flatMap((each) =>
          leases.flatMap((lease) => Array.from({ length: 8 }, () => each.reserve(request(lease, 7n)))),
        ),
      );
      expect(outcomes.filter(({ ok }) => ok)).toHaveLength(20);
      const ids = outcomes.flatMap((outcome) => (outcome.ok ? [outcome.reservationId] : []));
      expect(new Set(ids).size).toBe(20);
      for (const { wallet } of leases)
        expect(await usedIn(host, [LIMIT], wallet, NETWORK)).toEqual({ 'sol-day': 70n });
      const record = await open().verifyDecisions();
      expect(record).toMatchObject({ rows: 20 });
      expect(record).not.toHaveProperty('brokenAt');
    });

    it('of two principals of one wallet share its limit, and together use an approval once', async () => {
      const hosts = [tenantLedger(open(), { principal: 'one' }), tenantLedger(open(), { principal: 'two' })];
      const [host = open()] = hosts;
      const lease = await leased(host);
      const home = open();
      const plan = samplePlan();
      const approval = await home.askApproval(sampleQuestion(plan, [spending('swap', 7n)], FAR));
      await home.answerApproval(approval.id, { state: 'approved', channel: 'command' });
      const used = await Promise.all(
        hosts.flatMap((each, host) =>
          [0, 1, 2, 3].map((n) =>
            each.reserve(
              request(lease, 7n, { plan, stageId: `swap of ${host}, ${n}`, approvalId: approval.id }),
            ),
          ),
        ),
      );
      expect(used.filter(({ ok }) => ok)).toHaveLength(1);
      expect(used.filter((each) => !each.ok && each.code === 'APPROVAL_EXPIRED')).toHaveLength(7);
      const outcomes = await Promise.all(
        hosts.flatMap((each) => Array.from({ length: 8 }, () => each.reserve(request(lease, 7n)))),
      );
      expect(outcomes.filter(({ ok }) => ok)).toHaveLength(9);
      expect(await usedIn(host, [LIMIT], WALLET, NETWORK)).toEqual({ 'sol-day': 70n });
    });

    it("of one wallet do not use another wallet's approval", async () => {
      const ledger = open();
      const [own, other] = [await leased(ledger), await leased(ledger, OTHER)];
      const plan = samplePlan();
      const approval = await ledger.askApproval(sampleQuestion(plan, [spending('swap', 7n)], FAR));
      await ledger.answerApproval(approval.id, { state: 'approved', channel: 'command' });
      const more = { plan, approvalId: approval.id };
      const theirs = { ...more, plan: { ...plan, wallet: OTHER } };
      expect(await ledger.reserve(request(other, 7n, theirs))).toEqual({
        ok: false,
        code: 'APPROVAL_EXPIRED',
      });
      expect(await ledger.reserve(request(own, 7n, more))).toMatchObject({ ok: true });
    });

    it('detect a freeze between a reservation and its journal row, and sign nothing after it', async () => {
      const [one, two] = [open(), open()];
      const lease = await leased(one);
      const reserveRequest = request(lease, 7n);
      const id = await reserved(one, reserveRequest);
      await two.freeze('stop');
      expect(await one.journalSigned(lease, id, sampleRow(reserveRequest, 'signature'))).toEqual({
        ok: false,
        code: 'FROZEN',
      });
      expect(await one.reserve(request(lease, 7n))).toMatchObject({ ok: false, code: 'FROZEN' });
      expect(await usedIn(two, [LIMIT], WALLET, NETWORK)).toEqual({ 'sol-day': 0n });
    });

    it.each([
      ['a freeze', (ledger: Ledger) => ledger.freeze('stop'), 'FROZEN'],
      ['a freeze of one principal', (ledger: Ledger) => ledger.freeze('stop', 'one'), 'FROZEN'],
      ['a cancel', (ledger: Ledger, id: string) => ledger.setNote(cancelledNote(id), 'yes'), 'CANCELLED'],
    ])('%s waits for a journal row already being written and is seen by the next', async (_, stop, code) => {
      const [one, two] = [open(), open()];
      const lease = await leased(one);
      const plan = samplePlan({ principal: 'one' });
      await one.storePlan(plan);
      const [first, second] = ['a', 'b'].map((stageId) => request(lease, 7n, { plan, stageId }));
      if (first === undefined || second === undefined) throw new Error('no requests');
      const ids = [await reserved(one, first), await reserved(one, second)];
      await noteOf(two, 'opened');
      // The row has passed every check and cannot be written yet.
      const slow = await besides('LOCK TABLE journal IN SHARE ROW EXCLUSIVE MODE');
      const journaled = one.journalSigned(lease, ids[0] ?? '', sampleRow(first, 'first'));
      await waiting(1);
      const stopped = stop(two, plan.planId);
      const state = stateOf(stopped);
      await waiting(2);
      expect(state.over).toBe(false);
      await slow.end();
      expect(await journaled).toMatchObject({ ok: true });
      await stopped;
      expect((await two.rows('journal', { open: true })).map(({ signature }) => signature)).toEqual([
        'first',
      ]);
      expect(await one.journalSigned(lease, ids[1] ?? '', sampleRow(second, 'second'))).toEqual({
        ok: false,
        code,
      });
    });

    it.each([
      ['made', 'written', 1],
      ['not made', 'LEDGER_UNHEALTHY', 0],
    ] as const)('a commit read back while it still runs is awaited: it is %s', async (_, outcome, rows) => {
      const cut = await startCut(database);
      ending.push(() => cut.end());
      const ledger = open(cut.address);
      await ledger.setNote('first', 'before the cut');
      const gate = 4711;
      await postgres.query(
        database,
        `CREATE FUNCTION waits() RETURNS trigger LANGUAGE plpgsql AS
           'BEGIN PERFORM pg_advisory_xact_lock_shared(${gate}); RETURN NULL; END';
         CREATE CONSTRAINT TRIGGER waits AFTER INSERT ON plans DEFERRABLE INITIALLY DEFERRED
           FOR EACH ROW EXECUTE FUNCTION waits()`,
      );
      const slow = await besides(`SELECT pg_advisory_xact_lock(${gate})`);
      cut.next('while');
      const written = ledger.storePlan(samplePlan()).then(
        () => 'written',
        (error: unknown) => Object(error).code,
      );
      const state = stateOf(written);
      // The commit waits for the lock, and its reader waits for the commit.
      await waiting(2);
      expect(state.over).toBe(false);
      if (rows === 0)
        await postgres.query(
          database,
          `SELECT pg_terminate_backend(pid) FROM pg_locks WHERE NOT granted AND mode = 'ShareLock'`,
        );
      else await slow.end();
      expect(await written).toBe(outcome);
      await slow.end();
      expect(await count('SELECT COUNT(*) AS n FROM plans')).toBe(rows);
    });

    it.each(['a signature', 'a lease of another wallet'])(
      'a copy one write behind is detected by the host whose last write was %s (T80, T128)',
      async (last) => {
        const home = newHome();
        const ledger = open(database, home);
        const lease = await leased(ledger);
        const reserveRequest = request(lease, 7n);
        const id = await reserved(ledger, reserveRequest);
        if (last !== 'a signature')
          await ledger.journalSigned(lease, id, sampleRow(reserveRequest, 'signature'));
        const older = await postgres.newLedger();
        await postgres.copy(database, older);
        if (last === 'a signature')
          await ledger.journalSigned(lease, id, sampleRow(reserveRequest, 'signature'));
        else await ledger.lease({ wallet: OTHER, holder: 'shared' }, 1e9);
        await ledger.close();
        const behind = open(older, home);
        await expect(behind.setNote('probe', '')).rejects.toMatchObject({
          ...LOST,
          message: expect.stringContaining('1 of its'),
        });
        const reopened = open(database, home);
        await reopened.setNote('probe', '');
      },
    );

    it("keep in a home's checkpoint the last signature of each of its processes", async () => {
      const home = newHome();
      const processes = [open(database, home), open(database, home)];
      await Promise.all(
        processes.map(async (ledger, i) => {
          const lease = await leased(ledger, i === 0 ? WALLET : OTHER);
          for (let n = 0; n < 6; n += 1) {
            const reserveRequest = request(lease, 1n);
            const row = {
              ...sampleRow(reserveRequest, `signature-${i}-${n}`),
              network: `chain-${i}`,
              deadHeight: 100 + n,
            };
            await ledger.journalSigned(lease, await reserved(ledger, reserveRequest), row);
          }
        }),
      );
      const checkpoint = readCheckpoint(checkpointFile(home));
      if (checkpoint === undefined || checkpoint === 'damaged') throw new Error('no mark');
      expect(checkpoint.lastSigned).toEqual(
        expect.arrayContaining([
          { network: 'chain-0', deadHeight: 105 },
          { network: 'chain-1', deadHeight: 105 },
        ]),
      );
      expect(checkpoint.count).toBe(await count("SELECT value AS n FROM meta WHERE key = 'writes'"));
    });

    it('of two wallets never record one message twice, even if both reserved for it before', async () => {
      const [one, two] = [open(), open()];
      const leases = [await leased(one), await leased(two, OTHER)] as const;
      const [first, second] = [
        request(leases[0], 7n, { messageSha256: 'the same' }),
        request(leases[1], 7n, { messageSha256: 'the same', plan: samplePlan({ wallet: OTHER }) }),
      ];
      const ids = [await reserved(one, first), await reserved(two, second)];
      expect(await one.journalSigned(leases[0], ids[0] ?? '', sampleRow(first, 'first'))).toMatchObject({
        ok: true,
      });
      await expect(
        two.journalSigned(leases[1], ids[1] ?? '', sampleRow(second, 'second')),
      ).rejects.toMatchObject({ code: 'STATE_CONFLICT' });
      expect((await two.rows('journal', { open: true })).map(({ signature }) => signature)).toEqual([
        'first',
      ]);
      await one.journalMove('first', 'expired', { lease: leases[0] });
      expect(await two.journalSigned(leases[1], ids[1] ?? '', sampleRow(second, 'second'))).toMatchObject({
        ok: true,
      });
    });
  },
);
