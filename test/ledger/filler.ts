/**
 * Fills a ledger until it can be written no more. Bundled and spawned by the test under a limit on file sizes, which
 * is what a full disk looks like to a program. Prints how far it came, what the ledger said, and what was journaled.
 */
import { systemClock } from '../../src/clock.ts';
import { openLedger } from '../../src/ledger/sqlite/sqlite.ts';
import { sampleReserve, sampleRow, solPerDay, WALLET } from './samples.ts';

// A write past the limit then fails with an error, as on a full disk, instead of ending the process.
process.on('SIGXFSZ', () => {});
const [file = ''] = process.argv.slice(2);
const ledger = openLedger({ file, clock: systemClock });
const journaled: string[] = [];
let code = '';
try {
  const lease = await ledger.lease({ wallet: WALLET, holder: 'filler' }, 600_000);
  if (lease === undefined) throw new Error('no lease');
  for (let i = 0; ; i++) {
    await ledger.setNote('probe', '');
    const request = sampleReserve(lease, 1n, [solPerDay(1_000_000_000n)]);
    const outcome = await ledger.reserve(request);
    if (!outcome.ok) throw new Error(outcome.code);
    await ledger.journalSigned(lease, outcome.reservationId, sampleRow(request, `signature-${i}`));
    journaled.push(`signature-${i}`);
  }
} catch (error) {
  code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
}
let after = '';
try {
  // What failed was large; a small write may still find room, and the next ones do not.
  for (let i = 0; i < 2_000; i++) await ledger.setNote('probe', '');
} catch (error) {
  after = error instanceof Error && 'code' in error ? String(error.code) : String(error);
}
process.stdout.write(JSON.stringify({ journaled, code, after }));
