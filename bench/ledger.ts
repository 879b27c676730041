/** A reservation and its journal row with ten thousand rows in the window, over the same in an empty ledger. */
import { createRequire } from 'node:module';
import { openLedger } from '../src/ledger/sqlite/sqlite.ts';
import type { Lease, Ledger } from '../src/ledger/types.ts';
import {
  HOUR,
  handClock,
  NETWORK,
  newFile,
  sampleReserve,
  sampleRow,
  solPerDay,
  WALLET,
} from '../test/ledger/samples.ts';
import { type Ratio, ratio, timed } from './measure.ts';

const ROWS = 10_000;
const LIMIT = solPerDay(10n ** 15n);
const START = 1_800_000_000_000;

/**
 * Copies the one reservation that the ledger itself made `rows` times, spread over the day before.
 * Through the ledger's own methods it would take minutes.
 */
function fill(file: string, rows: number): void {
  const Database = createRequire(import.meta.url)('libsql');
  const db = new Database(file);
  const time = `${START} - 1 - (n * ${Math.floor((23 * HOUR) / rows)})`;
  const numbers = `WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${rows})`;
  db.exec('PRAGMA synchronous = OFF; BEGIN');
  db.exec(`${numbers} INSERT INTO reservations SELECT 1000 + n, wallet, network, 'p' || n, stage_id, 'i' || n, fence, 'settled', ${time}
    FROM numbers, (SELECT * FROM reservations LIMIT 1)`);
  db.exec(`${numbers} INSERT INTO uses SELECT 1000 + n, 1000 + n, 'p' || n, scope, counted, ${time}, hi, lo, scope + ${time} + hi + lo
    FROM numbers, (SELECT * FROM uses LIMIT 1)`);
  db.exec(`${numbers} INSERT INTO journal SELECT 's' || n, 'p' || n, 'i' || n, stage_id, wallet, network, 'm' || n, 1000 + n, body,
    'finalized', 1, NULL, ${time}, seal FROM numbers, (SELECT * FROM journal LIMIT 1)`);
  db.exec('COMMIT');
  db.close();
}

async function leased(ledger: Ledger): Promise<Lease> {
  const lease = await ledger.acquireLease(WALLET, 'bench', 1e12);
  if (lease === undefined) throw new Error('no lease');
  return lease;
}

/** One reservation and the journal row of its signature. */
async function once(ledger: Ledger, lease: Lease, name: string): Promise<void> {
  const request = sampleReserve(lease, 1n, [LIMIT]);
  const outcome = await ledger.reserve(request);
  if (!outcome.ok) throw new Error(outcome.code);
  await ledger.journalSigned(lease, outcome.reservationId, sampleRow(request, name));
}

export async function benchLedger(rows = ROWS, runs = 200): Promise<Ratio[]> {
  const files = [newFile(), newFile()] as const;
  const clock = handClock(START);
  for (const file of files) {
    const ledger = openLedger({ file, clock });
    await once(ledger, await leased(ledger), 'first');
    await ledger.close();
  }
  fill(files[1], rows);
  const [small, large] = [openLedger({ file: files[0], clock }), openLedger({ file: files[1], clock })];
  const [smallLease, largeLease] = [await leased(small), await leased(large)];
  const used = await large.used([LIMIT], WALLET, NETWORK);
  if ((used[LIMIT.id] ?? 0n) < BigInt(rows)) throw new Error(`only ${used[LIMIT.id]} are in the window`);
  const ours: number[] = [];
  const base: number[] = [];
  for (let i = 0; i < runs; i += 1) {
    clock.at += 1;
    base.push(await timed(() => once(small, smallLease, `small-${i}`)));
    ours.push(await timed(() => once(large, largeLease, `large-${i}`)));
  }
  await small.close();
  await large.close();
  return [ratio('reserve and journal', `${rows} rows in the window over an empty ledger`, 1.5, ours, base)];
}
