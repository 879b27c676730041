/**
 * Fills a ledger until writes fail. Bundled and spawned by the test under a file size limit, which is equivalent to a
 * full disk. Prints its progress, the ledger's error, and the journaled rows.
 */
import { systemClock } from '../../src/clock.ts';
import { openLedger } from '../../src/ledger/sqlite/sqlite.ts';
import { sampleReserve, sampleRow, solPerDay, WALLET } from './samples.ts';

// Makes writes past the limit fail with an error, as on a full disk, instead of killing the process.
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
  // The failed write was large; a small one may still fit, later ones do not.
  for (let i = 0; i < 2_000; i++) await ledger.setNote('probe', '');
} catch (error) {
  after = error instanceof Error && 'code' in error ? String(error.code) : String(error);
}
process.stdout.write(JSON.stringify({ journaled, code, after }));
