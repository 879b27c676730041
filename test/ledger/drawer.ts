/**
 * One of several processes that draw on one approval concurrently. Bundled and spawned by the test; reserves stages of
 * its own until the approval is exhausted and prints their number.
 */
import { systemClock } from '../../src/clock.ts';
import { openLedger } from '../../src/ledger/sqlite/sqlite.ts';
import { samplePlan, sampleReserve, WALLET } from './samples.ts';

const [file = '', approvalId = '', amount = '1'] = process.argv.slice(2);
const ledger = openLedger({ file, clock: systemClock });
const lease = await ledger.lease({ wallet: WALLET, holder: 'shared' }, 60_000);
if (lease === undefined) throw new Error('no lease');
const codes: string[] = [];
let drawn = 0;
while (codes.length < 5) {
  const stageId = `stage ${process.pid} ${drawn} ${codes.length}`;
  const outcome = await ledger.reserve(
    sampleReserve(lease, BigInt(amount), [], { plan: samplePlan(), stageId, approvalId }),
  );
  if (outcome.ok) drawn += 1;
  else codes.push(outcome.code);
}
await ledger.close();
process.stdout.write(JSON.stringify({ drawn, codes: [...new Set(codes)] }));
