/** Decision chains, one per principal: intact, damaged, and extended by several hosts concurrently. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type HomeLedger, type LedgerPlace, openLedger } from '../../src/ledger/sqlite/sqlite.ts';
import { tenantLedger } from '../../src/ledger/tenantLedger.ts';
import type { DecisionRecord } from '../../src/ledger/types.ts';
import { forEachDatabase } from './databases.ts';
import { noPostgres, startPostgres, type TestPostgres } from './postgres.ts';
import { handClock, sampleDecision, sampleInput, samplePlan } from './samples.ts';

let counter = 0;

/** Records a decision on a new plan, of a principal or of none. */
async function decide(ledger: HomeLedger, principal?: string, wallet?: string): Promise<DecisionRecord> {
  counter += 1;
  const name = `plan-${counter}`;
  const plan = samplePlan({ planId: name, intentKey: name, ...(wallet === undefined ? {} : { wallet }) });
  const own = principal === undefined ? ledger : tenantLedger(ledger, { principal });
  return own.recordDecision(sampleInput(plan, 'swap', sampleDecision()));
}

const inTurn = async (
  ledger: HomeLedger,
  ...principals: (string | undefined)[]
): Promise<DecisionRecord[]> => {
  const records: DecisionRecord[] = [];
  for (const principal of principals) records.push(await decide(ledger, principal));
  return records;
};

forEachDatabase(({ newPlace, tamper }) => {
  let place: LedgerPlace;
  let clock: ReturnType<typeof handClock>;
  let ledger: HomeLedger;
  beforeEach(async () => {
    place = await newPlace();
    clock = handClock();
    ledger = openLedger({ ...place, clock });
  });
  afterEach(() => ledger.close());

  describe('decision chains', () => {
    it('exist per principal and for the home, each complete', async () => {
      const records = await inTurn(ledger, 'anna', undefined, 'bela', 'anna', 'bela', 'anna');
      expect(records.map(({ id }) => id)).toEqual([1, 2, 3, 4, 5, 6].map((n) => `decision-${n}`));
      // The home's chain records the start of anna's chain, then of bela's.
      expect(records.map(({ chain, place }) => [chain, place])).toEqual([
        ['principal:anna', 1],
        ['home', 2],
        ['principal:bela', 1],
        ['principal:anna', 2],
        ['principal:bela', 2],
        ['principal:anna', 3],
      ]);
      const report = await ledger.verifyDecisions();
      expect(report).toEqual({ rows: 6, chains: 3 });
      expect(await ledger.chains()).toEqual(['home', 'principal:anna', 'principal:bela']);
    });

    it('give a row no earlier time than the row before it, whichever clock recorded it', async () => {
      await decide(ledger, 'anna');
      clock.at -= 60_000;
      await decide(ledger, 'anna');
      const [second, first] = await ledger.chainRows('principal:anna');
      expect(second?.time).toBeGreaterThanOrEqual(first?.time ?? Number.POSITIVE_INFINITY);
    });

    /** Decisions 1 to 6 belong to anna, the home and bela in turn. Each change is named by its row. */
    it.each([
      [
        'a changed row of a principal',
        "UPDATE decisions SET body = replace(body, 'A', 'B') WHERE sequence = 4",
        { brokenAt: 4, why: 'changed', chain: 'principal:anna', place: 2 },
      ],
      [
        'a changed time',
        'UPDATE decisions SET time = time + 1 WHERE sequence = 6',
        { brokenAt: 6, why: 'changed', chain: 'principal:bela', place: 2 },
      ],
      [
        'a removed decision',
        'DELETE FROM decisions WHERE sequence = 3',
        { brokenAt: 3, why: 'missing', chain: 'principal:bela', place: 1 },
      ],
      [
        'a removed decision with its place',
        'DELETE FROM decisions WHERE sequence = 4; DELETE FROM chain_rows WHERE sequence = 4',
        { brokenAt: 0, why: 'missing', chain: 'principal:anna', place: 2 },
      ],
      [
        'a last decision moved to another chain',
        "UPDATE chain_rows SET chain = 'principal:anna', place = 3 WHERE sequence = 6",
        { brokenAt: 6, why: 'changed', chain: 'principal:anna', place: 3 },
      ],
      [
        'two decisions of two chains exchanged',
        `UPDATE chain_rows SET sequence = -1 WHERE sequence = 4; UPDATE chain_rows SET sequence = 4 WHERE sequence = 6;
         UPDATE chain_rows SET sequence = 6 WHERE sequence = -1`,
        { brokenAt: 6, why: 'changed', chain: 'principal:anna', place: 2 },
      ],
      [
        'a decision inserted outside the chains',
        `INSERT INTO decisions SELECT 7, time, plan_id, effect, purpose, class, message_sha256, body, hash
         FROM decisions WHERE sequence = 6`,
        { brokenAt: 7, why: 'missing' },
      ],
      [
        'a decision inserted before the first',
        `INSERT INTO decisions SELECT 0, time, plan_id, effect, purpose, class, message_sha256, body, hash
         FROM decisions WHERE sequence = 6`,
        { brokenAt: 0, why: 'missing' },
      ],
      [
        'a decision appended to a chain',
        `INSERT INTO decisions SELECT 7, time, plan_id, effect, purpose, class, message_sha256, body, hash
         FROM decisions WHERE sequence = 6; INSERT INTO chain_rows VALUES ('principal:bela', 3, 7, NULL, NULL, NULL)`,
        { brokenAt: 7, why: 'changed', chain: 'principal:bela', place: 3 },
      ],
      [
        'a missing chain with its end',
        `DELETE FROM decisions WHERE sequence IN (3, 6); DELETE FROM chain_rows WHERE chain = 'principal:bela';
         DELETE FROM meta WHERE key = 'head principal:bela'`,
        { brokenAt: 0, why: 'missing', chain: 'principal:bela', place: 1 },
      ],
      [
        'a missing chain with its start row',
        `DELETE FROM decisions WHERE sequence IN (3, 6); DELETE FROM chain_rows WHERE chain = 'principal:bela';
         DELETE FROM chain_rows WHERE begins = 'principal:bela'; DELETE FROM meta WHERE key = 'head principal:bela'`,
        { brokenAt: 0, why: 'missing', chain: 'home', place: 3 },
      ],
      [
        'a start row of another chain',
        "UPDATE chain_rows SET begins = 'principal:cleo' WHERE begins = 'principal:bela'",
        { brokenAt: 0, why: 'changed', chain: 'home', place: 3 },
      ],
      [
        'a chain that ends too early',
        `DELETE FROM decisions WHERE sequence = 6; DELETE FROM chain_rows WHERE sequence = 6`,
        { brokenAt: 0, why: 'missing', chain: 'principal:bela', place: 2 },
      ],
      [
        'chains without a recorded end',
        "DELETE FROM meta WHERE key = 'head principal:anna'",
        { brokenAt: 0, why: 'missing', chain: 'principal:anna', place: 3 },
      ],
    ])('report %s', async (_, sql, found) => {
      await inTurn(ledger, 'anna', undefined, 'bela', 'anna', undefined, 'bela');
      await ledger.close();
      await tamper(place, sql);
      ledger = openLedger({ ...place, clock });
      expect(await ledger.verifyDecisions()).toMatchObject(found);
    });

    it('are checked in their newest rows at each start, and no decision is made if those are inconsistent', async () => {
      await inTurn(ledger, 'anna', 'bela');
      await ledger.close();
      await tamper(place, 'DELETE FROM decisions WHERE sequence = 1');
      ledger = openLedger({ ...place, clock });
      await expect(decide(ledger, 'bela')).rejects.toMatchObject({ code: 'LEDGER_CORRUPT' });
    });

    it('of principals without recent rows do not slow a start: only a full check finds their errors', async () => {
      await decide(ledger, 'anna');
      await inTurn(ledger, ...Array.from({ length: 51 }, () => 'bela'));
      await ledger.close();
      await tamper(place, "UPDATE decisions SET effect = 'deny' WHERE sequence = 1");
      ledger = openLedger({ ...place, clock });
      await decide(ledger, 'bela');
      expect(await ledger.verifyDecisions()).toMatchObject({ brokenAt: 1, why: 'changed' });
    });
  });
});

describe.skipIf(noPostgres !== undefined)(
  `two hosts that record decisions concurrently on PostgreSQL${noPostgres ? ` (${noPostgres})` : ''}`,
  () => {
    let postgres: TestPostgres;
    let database: string;
    let hosts: HomeLedger[] = [];
    beforeAll(() => {
      postgres = startPostgres();
    });
    afterAll(() => postgres?.end());
    beforeEach(async () => {
      database = await postgres.newLedger();
      hosts = [0, 1].map(() => openLedger({ database, clock: handClock() }));
      // A host that opens the ledger waits for all writes.
      for (const host of hosts) await host.setNote('probe', '');
    });
    afterEach(async () => {
      for (const host of hosts) await host.close();
    });
    const host = (n: number): HomeLedger => {
      const ledger = hosts[n];
      if (ledger === undefined) throw new Error('no such host');
      return ledger;
    };
    it('in one chain leave no gap and no fork', async () => {
      await decide(host(0), 'anna');
      await decide(host(1), 'anna');
      await Promise.all(Array.from({ length: 20 }, (_, n) => decide(host(n % 2), 'anna', `wallet-${n % 5}`)));
      const rows = await host(0).chainRows('principal:anna');
      expect(rows.map(({ place }) => place)).toEqual(Array.from({ length: 22 }, (_, n) => 22 - n));
      expect(await host(1).verifyDecisions()).toEqual({ rows: 22, chains: 2 });
    });

    it('that begin two chains begin both', async () => {
      await Promise.all([decide(host(0), 'anna', 'wallet-a'), decide(host(1), 'bela', 'wallet-b')]);
      expect(await host(0).verifyDecisions()).toEqual({ rows: 2, chains: 3 });
      const names = Array.from({ length: 16 }, (_, n) => `principal-${n}`);
      await Promise.all(names.map((name, n) => decide(host(n % 2), name, `wallet-${n}`)));
      await Promise.all(names.map((_, n) => decide(host(n % 2), undefined, `wallet-${n}`)));
      expect(await host(1).verifyDecisions()).toEqual({ rows: 34, chains: 19 });
    });
  },
);
