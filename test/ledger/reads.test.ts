/** Cost of reads as a ledger grows: every query uses an index. Also the storage per plan. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import Libsql from 'libsql';
import { expect, it } from 'vitest';
import { createCountersign } from '../../src/index.ts';
import { checkTail } from '../../src/ledger/chains/verify.ts';
import type { Database, Value } from '../../src/ledger/database.ts';
import { listPlans, readMarks, readPlan, readRevisions } from '../../src/ledger/plans/plans.ts';
import { readApprovals } from '../../src/ledger/sqlite/approvals.ts';
import { openDatabase } from '../../src/ledger/sqlite/database.ts';
import { listDecisions } from '../../src/ledger/sqlite/decisions.ts';
import { readJournal } from '../../src/ledger/sqlite/journal.ts';
import { openLedger } from '../../src/ledger/sqlite/sqlite.ts';
import { temporaryHome } from '../secrets/temporaryHome.ts';
import { fill, handClock, NETWORK, newFile, WALLET } from './samples.ts';

const LARGE = ['plans', 'revisions', 'decisions', 'decision_inputs', 'journal', 'reservations', 'approvals'];

it('scans no table that grows with every plan, for any query', async () => {
  const file = newFile();
  const clock = handClock();
  await fill(openLedger({ file, clock }), clock, 3);
  const db = await openDatabase(file, clock);
  const queries: [string, Value[]][] = [];
  const noted: Database = {
    ...db,
    get: (sql, ...values) => {
      queries.push([sql, values]);
      return db.get(sql, ...values);
    },
    all: (sql, ...values) => {
      queries.push([sql, values]);
      return db.all(sql, ...values);
    },
  };
  const [{ planId, intentKey } = { planId: '', intentKey: '' }] = await listPlans(noted, { limit: 20 });
  await listPlans(noted, { limit: 20, offset: 20 });
  await listPlans(noted, { intentKey, limit: 20 });
  await listPlans(noted, { wallet: WALLET, network: NETWORK, limit: 20 });
  await readPlan(noted, planId);
  await readRevisions(noted, planId);
  await readMarks(noted, planId);
  await listDecisions(noted, { planId, limit: 200 });
  await listDecisions(noted, { limit: 20, before: 5 });
  await listDecisions(noted, { id: 'decision-2', inputs: true });
  await readJournal(noted, { planId });
  await readJournal(noted, { intentKey });
  await readJournal(noted, { signature: 'x' });
  await readJournal(noted, { open: true });
  await readJournal(noted, { open: true, wallet: WALLET, network: NETWORK });
  await readApprovals(noted, { id: 'x' });
  await readApprovals(noted, { planId });
  await readApprovals(noted, { approvalDigest: 'x' });
  expect(queries.length).toBeGreaterThanOrEqual(17);
  const raw = new Libsql(file);
  for (const [sql, values] of queries) {
    for (const step of raw.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(values)) {
      const detail = String(Object(step).detail);
      // A listing in key order stops at its limit.
      const walks = / ORDER BY (id|sequence) DESC LIMIT /.test(sql)
        ? undefined
        : /^SCAN (\w+)/.exec(detail)?.[1];
      expect(LARGE, `${sql}: ${detail}`).not.toContain(walks);
      if (sql.includes('FROM plans')) expect(detail, sql).not.toContain('TEMP B-TREE');
    }
  }
  raw.close();
  await db.close();
});

it('reads as many newest rows of a chain at each start, however long it is', async () => {
  const countQueries = async (plans: number): Promise<number> => {
    const file = newFile();
    const clock = handClock();
    await fill(openLedger({ file, clock }), clock, plans);
    const db = await openDatabase(file, clock);
    let statements = 0;
    const counted = <T>(result: T): T => {
      statements += 1;
      return result;
    };
    await checkTail({
      ...db,
      get: (sql, ...values) => counted(db.get(sql, ...values)),
      all: (sql, ...values) => counted(db.all(sql, ...values)),
    });
    await db.close();
    return statements;
  };
  const few = await countQueries(1);
  expect(few).toBeGreaterThan(0);
  expect(await countQueries(6)).toBe(few);
});

it('keeps a landed swap in at most 40 KB, with every decision about it replayable', async () => {
  const home = temporaryHome();
  const server = createCountersign({ mode: 'sandbox', home });
  const call = async (name: string, args: Record<string, unknown> = {}) =>
    JSON.parse(JSON.stringify((await server.callTool(name, args)).structuredContent));
  const outputMint = /"tokenMint":"(\w+)"/.exec(JSON.stringify(await call('get_launch_feed')))?.[1];
  const size = () => {
    const db = new Libsql(join(home, 'ledger.db'));
    db.pragma('wal_checkpoint(TRUNCATE)');
    db.close();
    return statSync(join(home, 'ledger.db')).size;
  };
  const swap = async () => {
    const inputMint = 'So11111111111111111111111111111111111111112';
    const quote = await call('get_swap_quote', { inputMint, outputMint, amount: '20000000' });
    const requestId = /"requestId":"([\w-]+)"/.exec(JSON.stringify(quote))?.[1];
    const { plan } = await call('create_swap', { requestId });
    const done = await call('submit_plan', { planId: plan.planId, waitSeconds: 20 });
    expect(done.plan.status).toBe('complete');
  };
  await swap();
  const before = size();
  const SWAPS = 8;
  for (let i = 0; i < SWAPS; i += 1) await swap();
  await server.close();
  expect((size() - before) / SWAPS).toBeLessThanOrEqual(40_000);
  const ledger = openLedger({ home, clock: handClock() });
  expect(await ledger.verifyDecisions()).not.toHaveProperty('brokenAt');
  expect((await ledger.verifyDecisions()).rows).toBeGreaterThanOrEqual(2 * SWAPS);
  await ledger.close();
});
