/**
 * One of several processes racing for the same limit. Bundled and spawned by the test; reserves until refused and
 * prints the number of reservations.
 */
import { systemClock } from '../../src/clock.ts';
import { newHolder } from '../../src/ledger/sqlite/leases.ts';
import { openLedger } from '../../src/ledger/sqlite/sqlite.ts';
import { sampleReserve, solPerDay } from './samples.ts';

const [file = '', amount = '1', max = '1', origin = ''] = process.argv.slice(2);
const ledger = openLedger({ file, clock: systemClock });
// All processes spend from one limit of the same wallet, so they share one lease by name.
const lease = await ledger.lease(
  { wallet: 'So11111111111111111111111111111111111111112', holder: 'shared' },
  60_000,
);
if (lease === undefined) throw new Error(`no lease for ${newHolder()}`);
const limit = solPerDay(BigInt(max));
let taken = 0;
for (let misses = 0; misses < 5; ) {
  const outcome = await ledger.reserve(sampleReserve(lease, BigInt(amount), [limit]));
  if (outcome.ok) taken += 1;
  else misses += 1;
}
let requests = 0;
for (let grant = 1; origin !== '' && grant > 0; ) {
  grant = (await ledger.leaseRequests(origin, 7, 500)).granted;
  requests += grant;
}
await ledger.close();
process.stdout.write(JSON.stringify({ taken, requests }));
